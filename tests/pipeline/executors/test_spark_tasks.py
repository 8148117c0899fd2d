"""Tasks on executors: reports in order, files of their own names, errors as what they are."""

from __future__ import annotations

import errno
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.executors.spark_tasks import SparkTasks
from kaicep.pipeline.flow.queries.query_isolation import CancelledError
from kaicep.pipeline.sharding.split_part import Split, split_part
from kaicep.storage import LocalFolder, SharedFolder, is_transient
from pyspark.sql import SparkSession
from support.sharded import plan_of
from support.shards import FOLLOWS, PROJECT, reading, split_of

PLAN = replace(plan_of(PROJECT, FOLLOWS, 2), key="spark tasks")


@pytest.mark.spark
def test_reports_come_in_order(spark: SparkSession, tmp_path: Path) -> None:
    tasks = SparkTasks(spark)
    splits = [split_of(tmp_path, place, [reading("a", place)] * place) for place in range(5)]
    reports = tasks(PLAN, split_part, splits, LocalFolder(tmp_path), "0-split")
    assert [report.split.place for report in reports] == [0, 1, 2, 3, 4]
    assert [report.records for report in reports] == [0, 1, 2, 3, 4]
    assert len({report.file for report in reports}) == 5
    assert all((tmp_path / report.file).is_file() for report in reports)
    again = tasks(PLAN, split_part, splits, LocalFolder(tmp_path), "0-split")
    assert not {report.file for report in again} & {report.file for report in reports}
    assert tasks(PLAN, split_part, [], LocalFolder(tmp_path), "0-split") == []


@pytest.mark.spark
def test_an_error_comes_back_as_it_is(spark: SparkSession, tmp_path: Path) -> None:
    missing = Split("P", 0, tmp_path / "missing.json")
    with pytest.raises(PipelineError, match=r"missing\.json"):
        SparkTasks(spark)(PLAN, split_part, [missing], LocalFolder(tmp_path), "0-split")


@pytest.mark.spark
def test_a_job_is_left_when_nobody_wants_it_any_more(spark: SparkSession, tmp_path: Path) -> None:
    """No other is begun until somebody does."""
    tasks, seconds = SparkTasks(spark), 60

    def sleep(_queries: Any, done: int, _folder: SharedFolder, _name: str) -> int:
        time.sleep(done)
        return done

    threading.Timer(3, tasks.cancel).start()
    began = time.monotonic()
    with pytest.raises(CancelledError):
        tasks(PLAN, sleep, [seconds], LocalFolder(tmp_path), "sleep")
    assert time.monotonic() - began < seconds
    with pytest.raises(CancelledError):
        tasks(PLAN, sleep, [0], LocalFolder(tmp_path), "sleep")
    tasks.begin()
    assert tasks(PLAN, sleep, [0, 0], LocalFolder(tmp_path), "sleep") == [0, 0]
    assert sum(each.tasks for each in tasks.figures.values()) == 2


@pytest.mark.spark
def test_what_passes_is_told_as_that(spark: SparkSession, tmp_path: Path) -> None:
    """A full disk ends no engine: the batch is done again when it has passed."""

    def write(_queries: Any, _done: int, folder: SharedFolder, _name: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(folder))

    with pytest.raises(PipelineError, match=r"a task could not read or write: .*No space left on device") as raised:
        SparkTasks(spark)(PLAN, write, [0], LocalFolder(tmp_path), "write")
    assert is_transient(raised.value)


@pytest.mark.spark
def test_what_a_task_raises_that_is_no_error_of_kaicep_s_is_tried_again_and_told(
    spark: SparkSession, tmp_path: Path
) -> None:
    def fail(_queries: Any, _done: int, _folder: SharedFolder, _name: str) -> None:
        raise ZeroDivisionError("by nothing")

    with pytest.raises(PipelineError, match=r"executors cannot do a task: .*by nothing"):
        SparkTasks(spark)(PLAN, fail, [0], LocalFolder(tmp_path), "fail")


@pytest.mark.spark
def test_executors_without_such_a_python_are_told(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "python-that-is-not-there")
    with pytest.raises(PipelineError, match=r"cannot do a task: .*python-that-is-not-there.*: see that they have the"):
        SparkTasks(spark)(PLAN, split_part, [split_of(tmp_path, 0, [])], LocalFolder(tmp_path), "none")
