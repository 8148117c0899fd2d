"""Tasks on executors: reports in order, files of their own names, errors as what they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.executors.spark_tasks import SparkTasks
from kaicep.pipeline.sharding.split_part import Split, split_part
from kaicep.storage import LocalFolder
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
