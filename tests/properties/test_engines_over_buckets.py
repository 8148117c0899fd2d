"""An engine whose sources, log and shards' states are in a bucket gives what one gives that has folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kaicep import Engine, Project
from kaicep.pipeline.sinks import JsonLinesSink
from kaicep.storage import BucketFolder
from support.buckets import KEYS, ObjectStorage
from support.command_line import wait_for
from support.gateway_files import FILES, ROWS, rows_of, settings, submit_all, tuples

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
Files = list[list[dict[str, Any]]]


@pytest.fixture(name="lake")
def _lake(object_storage: ObjectStorage, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> BucketFolder:
    """A bucket that executors may use."""
    for name, value in KEYS.items():
        monkeypatch.setitem(spark.sparkContext.environment, name, value)
    return object_storage.folder()


def dropped(lake: BucketFolder, files: Files, first: int = 0) -> None:
    """What a gateway puts into the bucket."""
    for number, rows in enumerate(files[first:], first):
        lake.inside("in").write(f"{number:04}.json", ["".join(json.dumps(row) + "\n" for row in rows).encode()])


def project_of(folder: Path, lake: BucketFolder, hosting: str) -> Project:
    """A project that has all it can have in a bucket."""
    content, options = settings(archive=True), lake.options
    content["streams"]["air"]["source"] |= {"path": f"{lake}/in/", "maxFilesPerTrigger": 3}
    content["engine"] |= {"hosting": hosting, "shared": f"{lake}/shared"}
    content["archive"]["log"] = f"{lake}/{hosting}"
    content["s3"] = {"endpoint": options.endpoint, "region": options.region, "allow_http": True}
    return Project.parse(content, root=folder)


@pytest.mark.long
def test_both_hostings_read_objects_and_log_into_a_bucket(
    tmp_path: Path, spark: SparkSession, lake: BucketFolder
) -> None:
    """What comes later is read by a later start; rows, log and letters are those of `evaluate`."""
    files = tuples(5)
    for hosting in ("driver", "executors"):
        project = project_of(tmp_path / hosting, lake, hosting)
        out = tmp_path / hosting / "rows.jsonl"
        for there in (4, FILES):
            dropped(lake, [*files[:there], *([] if there < FILES else [[{"sensor": "a", "at": "soon"}]])])
            with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
                assert engine.hosting == hosting
                submit_all(engine)
                engine.run_available()
                if there == FILES:
                    engine.finish()
                    assert engine.progress.records == FILES * (ROWS + 1) + 1
                    assert engine.archive.log.count("air") == engine.progress.streams["air"].events
                    assert engine.archive.flush(60)
        lake.inside("in").remove([f"{number:04}.json" for number in range(FILES + 1)])
    driver, executors = (tmp_path / hosting for hosting in ("driver", "executors"))
    assert rows_of(driver / "rows.jsonl") == rows_of(executors / "rows.jsonl")
    letters = [[json.loads(p.read_text()) for p in f.rglob("dead-letters/*/*.jsonl")] for f in (driver, executors)]
    assert letters[0] == letters[1]
    assert letters[0][0]["record"] == '{"sensor": "a", "at": "soon"}'
    found = rows_of(driver / "rows.jsonl")["mean"]
    raw = [row for rows in files for row in rows]
    expected = Project.parse(settings(), root=tmp_path).evaluate(
        "SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n WINDOW (?e, batch, 10s) GROUP BY ?e.sensor", {"air": raw}
    )
    assert [row["n"] for row in found] == [row["n"] for row in expected]


@pytest.mark.long
def test_executors_read_objects_as_they_come(tmp_path: Path, spark: SparkSession, lake: BucketFolder) -> None:
    files = tuples(7)
    project = project_of(tmp_path, lake, "executors")
    with Engine(project, spark=spark) as engine:
        submit_all(engine)
        engine.start()
        for there in (2, FILES):
            dropped(lake, files[:there])
            wait_for(lambda there=there: engine.progress.records == there * (ROWS + 1))  # type: ignore[misc]
        engine.stop()
        engine.finish()
        assert engine.archive.log.count("air") == engine.progress.streams["air"].events


@pytest.mark.long
def test_streams_wait_for_a_bucket_that_is_away_for_longer_than_a_minute(
    tmp_path: Path, spark: SparkSession, lake: BucketFolder, object_storage: ObjectStorage
) -> None:
    """The engine says so, and goes on by itself: nothing is lost, and nothing is there twice."""
    files, out = tuples(7), tmp_path / "rows.jsonl"
    project = project_of(tmp_path, lake, "executors")
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.start()
        dropped(lake, files[:3])
        wait_for(lambda: engine.progress.records > ROWS)
        dropped(lake, files, 3)
        listed = tmp_path / "var/state/objects/air"
        wait_for(lambda: len(list(listed.glob("0*"))) == 2)
        object_storage.stop()
        wait_for(lambda: engine.status.waits_for is not None)
        assert "does not answer" in str(engine.status.waits_for)
        object_storage.start()
        wait_for(lambda: engine.progress.records == FILES * (ROWS + 1))
        wait_for(lambda: engine.status.waits_for is None)
        engine.stop()
        engine.finish()
        assert engine.archive.log.count("air") == engine.progress.streams["air"].events
    (tmp_path / "whole").mkdir()
    raw = [row for rows in files for row in rows]
    expected = Project.parse(settings(), root=tmp_path / "whole").evaluate(
        "SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n WINDOW (?e, batch, 10s) GROUP BY ?e.sensor", {"air": raw}
    )
    assert [row["n"] for row in rows_of(out)["mean"]] == [row["n"] for row in expected]
