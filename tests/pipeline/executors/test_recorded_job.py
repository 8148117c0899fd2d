"""A document over recorded files, answered by executors: what `evaluate` gives without them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kaicep import Project
from kaicep.errors import PipelineError, PlanError
from kaicep.pipeline.executors.recorded_job import evaluate_on
from pyspark.sql import SparkSession
from support import rule_queries
from support.buckets import KEYS, ObjectStorage
from support.keyed import STREAMS, keyed_batches
from support.shards import FOLLOWS

PROJECT = Project.parse({"streams": STREAMS})


def written(folder: Path, batches: list[dict[str, list[dict[str, Any]]]]) -> dict[str, list[str]]:
    """A file of each stream for each batch."""
    found: dict[str, list[str]] = {}
    for place, batch in enumerate(batches):
        for name, rows in batch.items():
            path = folder / f"{name}-{place:03}.json"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            found.setdefault(name, []).append(str(path))
    return found


@pytest.mark.spark
def test_rows_are_those_of_evaluate(spark: SparkSession, tmp_path: Path) -> None:
    """In several batches of files, and with a folder of the user's, which is left empty."""
    streams = written(tmp_path, [*keyed_batches(Random(1)), *keyed_batches(Random(2)), *keyed_batches(Random(3))])
    shared = tmp_path / "shared"
    shared.mkdir()
    found = PROJECT.evaluate(FOLLOWS, streams, spark=spark, folder=shared)
    expected = PROJECT.evaluate(FOLLOWS, streams)
    assert len(expected)
    assert found.table.equals(expected.table)
    assert list(shared.iterdir()) == []


@pytest.mark.long
@pytest.mark.spark
def test_files_and_the_folder_may_be_in_a_bucket(
    spark: SparkSession, tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Executors have the credentials from their environment; without Spark the objects are read, too."""
    lake = object_storage.folder("in")
    streams = written(tmp_path, [*keyed_batches(Random(1)), *keyed_batches(Random(2))])
    urls = {}
    for name, paths in streams.items():
        for path in map(Path, paths):
            lake.write(path.name, [path.read_bytes()])
        urls[name] = f"{lake}/{name}-*.json"
    options = object_storage.options
    table = {"endpoint": options.endpoint, "region": options.region, "allow_http": True}
    project = Project.parse({"streams": STREAMS, "s3": table})
    for name, value in KEYS.items():
        monkeypatch.setitem(spark.sparkContext.environment, name, value)
    shared = lake.inside("shared")
    expected = PROJECT.evaluate(FOLLOWS, streams)
    assert len(expected)
    assert project.evaluate(FOLLOWS, urls).table.equals(expected.table)
    assert project.evaluate(FOLLOWS, urls, spark=spark, folder=str(shared)).table.equals(expected.table)
    assert shared.names() == []


@pytest.mark.spark
def test_what_rules_call_comes_too(spark: SparkSession, tmp_path: Path) -> None:
    project, rng = Project.parse(rule_queries.CONTENT), Random(7)
    text, streams = rule_queries.rules("calls", rng), written(tmp_path, [rule_queries.events(rng)])
    found, expected = project.evaluate(text, streams, spark=spark), project.evaluate(text, streams)
    assert (list(found), list(found.calls)) == (list(expected), list(expected.calls))
    assert expected.calls


@pytest.mark.spark
def test_what_is_no_event_is_told(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"id": "a", "t": "soon"}\nno record\n', encoding="utf-8")
    with pytest.warns(UserWarning, match=r"2 of 2 records of stream P are no events: .*p\.json"):
        assert list(PROJECT.evaluate(FOLLOWS, {"P": path}, spark=spark)) == []


@pytest.mark.spark
def test_what_executors_cannot_do_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="spark beside a strategy"):
        PROJECT.evaluate(FOLLOWS, {}, spark=spark, strategy="replay")
    with pytest.raises(PlanError, match="the events of 'P' are no files: executors read files: give paths"):
        PROJECT.evaluate(FOLLOWS, {"P": [{"id": "a"}]}, spark=spark)
    stream = {**STREAMS["P"], "source": {"format": "json", "path": "in/", "order": "time"}}
    ordered = Project.parse({"streams": {"P": stream}}, root=tmp_path)
    (query,) = ordered.compile("SELECT ?e.id FROM (?e, P)")
    with pytest.raises(PipelineError, match="stream 'P' is ordered by time"):
        evaluate_on(spark, ordered, [query], {"P": [tmp_path / "p.json"]})
