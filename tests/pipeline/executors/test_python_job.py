"""Jobs with few calls to Java: what tasks give comes in their order, and no job asks for more than it takes."""

from __future__ import annotations

import os
from functools import partial
from operator import getitem

import pytest
from kaicep.pipeline.executors.python_job import PythonJobs
from py4j.clientserver import ClientServerConnection
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

MOST_CALLS = 16
"""Calls to Java of a job with two tasks; `RDD.collect` of the same takes more than thirty."""


@pytest.mark.spark
def test_what_tasks_give_comes_in_their_order(spark: SparkSession) -> None:
    jobs = PythonJobs(spark.sparkContext)
    assert jobs.results(partial(getitem, [[1, 2], [], ["x"]]), 3, "order") == [1, 2, "x"]
    assert jobs.results(partial(getitem, [[5]]), 1, "order") == [5]
    assert jobs.parallelism == spark.sparkContext.defaultParallelism


@pytest.mark.spark
def test_what_a_job_finds_wrong_is_raised(spark: SparkSession) -> None:
    with pytest.raises(PySparkException, match="IndexError"):
        PythonJobs(spark.sparkContext).results(partial(getitem, []), 2, "wrong")


@pytest.mark.spark
def test_few_calls_are_made(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a round trip, in the one process of which there is only one."""
    jobs, sent = PythonJobs(spark.sparkContext), list[str]()
    jobs.results(partial(getitem, [[1], [2]]), 2, "first")
    send = ClientServerConnection.send_command

    def counted(connection: ClientServerConnection, command: str) -> str:
        sent.append(command)
        return str(send(connection, command))

    monkeypatch.setattr(ClientServerConnection, "send_command", counted)
    assert jobs.results(partial(getitem, [[os.getpid()], [2]]), 2, "counted") == [os.getpid(), 2]
    assert 0 < len(sent) <= MOST_CALLS


@pytest.mark.spark
def test_packages_that_come_later_are_sent(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = PythonJobs(spark.sparkContext)
    monkeypatch.setattr(spark.sparkContext, "_python_includes", ["later.zip"])
    assert jobs.results(partial(getitem, [[1]]), 1, "includes") == [1]
