"""Streams are read as far as there is something, over Spark that is started when it is needed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kaicep import Engine, PipelineError, Project
from kaicep.pipeline.hosting import stream_reader
from kaicep.pipeline.sinks import CallbackSink, JsonLinesSink
from support.gateway_files import QUERIES, START, settings, tuples, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = pytest.mark.spark


def test_iteration_ends_with_what_there_was_to_read(tmp_path: Path, spark: SparkSession) -> None:
    """And goes on with what the next reading brings, and the end of the streams."""
    files = tuples(9)
    write(tmp_path / "in", files[:3])
    project = Project.parse(settings(), root=tmp_path)
    with Engine(project, spark=spark) as engine:
        handle = engine.submit(QUERIES["high"])
        engine.run_available()
        found = list(handle.matches())
        assert (handle.state, len(handle.rows())) == ("running", 0)
        write(tmp_path / "in", files)
        engine.run_available()
        waiting = engine.rows_at_end()
        columns = handle.table()
        found += list(handle.matches())
        assert columns["_id"].to_pylist() == [row["_id"] for row in found[-columns.num_rows :]]
        engine.finish()
        last = list(handle.matches())
        assert waiting == {handle.name: len(last)}
    assert last
    assert found + last == project.evaluate(QUERIES["high"], {"air": [row for rows in files for row in rows]})


def test_spark_is_not_started_to_find_that_there_is_nothing_new(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And started as soon as there may be something: a file, a query with a past."""
    files = tuples(11)
    write(tmp_path / "in", files[:2])
    project = Project.parse(settings(archive=True), root=tmp_path)
    out = tmp_path / "rows.jsonl"

    def again(text: str, said: list[str]) -> list[int]:
        monkeypatch.setattr(stream_reader, "start_spark", lambda _, *, brief: spark.newSession() if brief else None)
        monkeypatch.setattr("pyspark.sql.SparkSession.stop", lambda _: None)
        with Engine(project, sinks=[JsonLinesSink(out)], on_notice=said.append) as engine:
            engine.submit(text, label="high", collect=False)
            engine.run_available()
            before = engine.progress.batches
            engine.finish()
            return [before, len(out.read_text(encoding="utf-8").splitlines())]

    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        engine.submit(QUERIES["high"], label="high", collect=False)
        engine.run_available()
        engine.finish()
    rows = len(out.read_text(encoding="utf-8").splitlines())
    told: list[str] = []
    assert (again(QUERIES["high"], told), told) == ([0, rows], [])
    write(tmp_path / "in", files[:3])
    batches, more = again(QUERIES["high"], told)
    assert (batches, more > rows, told) == (3, True, ["starting Spark"])
    assert again(QUERIES["high"], told)[1] == more
    assert told == ["starting Spark"]
    again("SELECT ?e.flow FROM (?e, air) WITHIN (2026-03-01T00:01, )", told)
    assert told[1:] == ["starting Spark"]


def test_a_batch_that_fails_is_told_whoever_waits(
    tmp_path: Path, spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    """In the log at once, from handles, and at the end if nobody has asked."""
    write(tmp_path / "in", tuples(10)[:2])
    project = Project.parse(settings(), root=tmp_path)

    def fail(name: str, row: dict[str, Any]) -> None:
        raise ValueError(name + row["sensor"])

    def leave_alone() -> None:
        with Engine(project, spark=spark, sinks=[CallbackSink(fail)]) as engine:
            engine.submit(QUERIES["high"], label="high")
            engine.start()
            engine._job._ended.wait(60)

    told = "a batch failed in the sink CallbackSink, in write of 'high': ValueError: high"
    with pytest.raises(PipelineError, match=told):
        leave_alone()
    (logged,) = (record for record in caplog.records if record.name == "kaicep")
    assert (logged.levelname, logged.message.startswith(told)) == ("ERROR", True)
    with Engine(project, spark=spark, sinks=[CallbackSink(fail)], on_failure=lambda _: None) as engine:
        handle = engine.submit(QUERIES["high"], label="high")
        for ask in (lambda: list(handle.matches()), handle.rows, engine.finish, engine.wait):
            with pytest.raises(PipelineError, match=told):
                ask()


def test_time_goes_on_over_a_silent_stream(tmp_path: Path, spark: SparkSession) -> None:
    """An alert of absence comes, also after a restart. Reading what there is waits for nothing."""
    content = settings()
    content["streams"]["air"] |= {"lateness": "0s", "idle_timeout": "300ms"}
    files = [[reading(0), reading(0.1)], [reading(0.2)], [reading(60)], [reading(60.1)]]
    for restarts, end in enumerate((0.4, 60.3)):
        write(tmp_path / "in", files[: 2 * restarts + 2])
        with Engine(Project.parse(content, root=tmp_path), spark=spark) as engine:
            handle = engine.submit("SELECT ?a.flow FROM (?a, air), (?n, air) SEQ (?a, NOT ?n FOR 200ms)")
            engine.run_available()
            assert engine.progress.total_matches == restarts
            assert engine.progress.batches == 2 or restarts
            engine.start()
            # A batch that Spark had not committed when the first engine stopped comes again, rows and all.
            assert any(row["_time"] == START + timedelta(seconds=end) for row in handle.matches())


def reading(second: float) -> dict[str, Any]:
    return {"sensor": "a", "at": (START + timedelta(seconds=second)).isoformat(), "flow": 90.0}
