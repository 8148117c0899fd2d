"""Streams are read as far as there is something, over Spark that is started when it is needed."""

from __future__ import annotations

import gzip
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kaicep import Engine, PipelineError, Project
from kaicep.pipeline.hosting import stream_reader
from kaicep.pipeline.sinks import CallbackSink, JsonLinesSink
from support.command_line import wait_for
from support.gateway_files import QUERIES, START, rows_of, settings, submit_all, tuples, write
from support.sampling import some_of

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
        monkeypatch.setattr(stream_reader, "start_spark", lambda _: spark.newSession())
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


class _CrashError(Exception):
    pass


def _broken(folder: Path, files: list[list[dict[str, Any]]]) -> Project:
    """A project whose files are packed and come in one batch; the second one breaks off."""
    write(folder / "in", files)
    for path in sorted((folder / "in").iterdir()):
        content = gzip.compress(path.read_bytes(), mtime=0)
        path.unlink()
        whole = path.with_name(f"{path.name}.gz")
        whole.write_bytes(content[: len(content) // 2] if path.name == "0001.json" else content)
        os.utime(whole, (1_700_000_000 + int(path.stem), 1_700_000_000 + int(path.stem)))
    content_of_project = settings(archive=True)
    del content_of_project["streams"]["air"]["source"]["maxFilesPerTrigger"]
    return Project.parse(content_of_project, root=folder)


def _letters(folder: Path) -> list[str]:
    lines = [
        line
        for path in sorted((folder / "var/state/dead-letters/air").glob("*"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line)["place"] for line in lines]


@pytest.mark.parametrize("point", some_of(["take", "write", "append", "flush", "finish"], 2))
def test_a_file_that_cannot_be_read_costs_no_other_one_also_over_a_crash(
    point: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the batch breaks off: its other files are read once, and one letter names the file."""
    files = tuples(3)
    project = _broken(tmp_path, files)
    out = tmp_path / "rows.jsonl"
    with monkeypatch.context() as patch, Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        checkpoint = engine._flow._checkpoint
        owners: dict[str, Any] = {
            "take": checkpoint.journal, "write": checkpoint._dead_letters, "append": engine.archive,
            "flush": engine._sinks[0], "finish": checkpoint.journal,
        }  # fmt: skip
        original = getattr(owners[point], point)

        def crash(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            if point != "finish" or arguments[0] > 0:  # the journal also finishes the batch before the first
                raise _CrashError
            return result

        patch.setattr(owners[point], point, crash)
        with pytest.raises(PipelineError, match="a batch failed"):
            engine.run_available()
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.run_available()
        engine.finish()
        events = engine.progress.streams["air"].events
        assert engine.archive.log.count("air") == events
    whole = [row for number, rows in enumerate(files) if number != 1 for row in rows]
    assert events == len({(row["sensor"], row["at"]) for row in whole})
    assert _letters(tmp_path) == [str(tmp_path / "in" / "0001.json.gz")]
    for label, rows in rows_of(out).items():
        document = f"{QUERIES['rise']}; {QUERIES[label]}" if label == "rises" else QUERIES[label]
        expected = Project.parse(settings(), root=tmp_path).evaluate(document, {"air": whole})
        assert [row["_events"] for row in rows] == [row["_events"] for row in expected], label


def test_a_file_that_was_mended_is_read_once(tmp_path: Path, spark: SparkSession) -> None:
    """At the next start; one that was not mended is not tried again, and nothing more is said of it."""
    files = tuples(3)
    project = _broken(tmp_path, files)
    (tmp_path / "in" / "0002.json.gz").write_bytes(b"no gzip")
    told: list[str] = []

    def read() -> int:
        told.clear()
        with Engine(project, spark=spark, on_notice=told.append) as engine:
            engine.run_available()
            return engine.archive.log.count("air")

    broken = tmp_path / "in" / "0001.json.gz"
    before = read()
    assert [line.split(":")[0] for line in told] == [
        f"streams.air: {tmp_path}/in/{name}".split(":")[0] for name in ("0001.json.gz", "0002.json.gz")
    ]
    assert all("cannot be read: " in line and "mend it in its place" in line for line in told)
    assert (read(), told) == (before, [])
    broken.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in files[1]).encode()))
    keys = {(row["sensor"], row["at"]) for number, rows in enumerate(files) if number != 2 for row in rows}
    assert read() == len(keys)
    (line,) = told
    assert line.startswith("recovery: in/0001.json.gz could not be read, and was changed: the sources are listed anew")
    assert (read(), told) == (len(keys), [])
    assert len(_letters(tmp_path)) == 2


def test_a_running_engine_reads_a_file_that_was_mended(tmp_path: Path, spark: SparkSession) -> None:
    files = tuples(3)
    project = _broken(tmp_path, files)
    with Engine(project, spark=spark) as engine:
        engine._job._pause = 0
        engine.start()
        wait_for(lambda: engine.progress.batches > 0)
        events = engine.progress.records
        mended = tmp_path / "in" / "0001.json.gz"
        mended.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in files[1]).encode()))
        os.utime(mended, (1_700_000_001, 1_700_000_001))
        wait_for(lambda: engine.progress.records >= events + len(files[1]))
        assert engine.progress.records == events + len(files[1])
