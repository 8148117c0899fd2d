"""The engine end to end over Spark: the same rows as `evaluate`, whatever happens in between."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from kaicep import Engine, PipelineError, PlanError, Project
from kaicep.archive.sparql import Solutions
from kaicep.pipeline.hosting import streaming_engine
from kaicep.pipeline.sinks import CallbackSink, JsonLinesSink, ParquetSink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

START = datetime(2026, 3, 1, tzinfo=UTC)
FILES = 6
ROWS = 40
QUERIES = {
    "high": "SELECT ?e.sensor, ?e.flow FILTER (?e.flow > 70)",
    "rise": """CREATE QUERY rise AS SELECT ?a.sensor, ?b.flow - ?a.flow AS by
               FROM (?a, air), (?b, air) JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow - ?a.flow > 40)
               SEQ (?a, ?b) WINDOW (?a, ?b, 20s)""",
    "mean": "SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n WINDOW (?e, batch, 10s) GROUP BY ?e.sensor",
    "rises": "SELECT COUNT(?r) AS rises FROM (?r, rise) WINDOW (?r, batch, 30s)",
}


FOUND = """SELECT (COUNT(DISTINCT ?m) AS ?n) (COUNT(?e) AS ?events)
           { ?m a kaicep:Match ; prov:wasDerivedFrom ?e . ?e a <urn:Report> }"""
WITHIN_FORMS = {
    "high": "SELECT ?e.sensor, ?e.flow FROM (?e, air)",
    "pairs": "SELECT ?a.sensor FROM (?a, air), (?b, air)",
    "mean": "SELECT AVG(?e.flow) AS mean FROM (?e, air)",
    "rises": "SELECT COUNT(?r) AS rises FROM (?r, rise)",
}
REST = {
    "high": "FILTER (?e.flow > 70)",
    "pairs": "JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 20s)",
    "mean": "WINDOW (?e, batch, 10s)",
    "rises": "WINDOW (?r, batch, 30s)",
}


def tuples(seed: int) -> list[list[dict[str, Any]]]:
    """Raw tuples by file: out of order within the lateness, some duplicates, some missing flows."""
    source = random.Random(seed)
    files: list[list[dict[str, Any]]] = []
    for file in range(FILES):
        rows = []
        for row in range(ROWS):
            second = file * ROWS + row + source.choice([0, 0, 0, -2, -3])
            moment = (START + timedelta(seconds=max(0, second))).isoformat()
            flow = source.choice([None, 10.0, 30.5, 75.0, 90.0])
            rows.append({"sensor": source.choice("abc"), "at": moment} | ({} if flow is None else {"flow": flow}))
        rows.append(rows[-1])
        files.append(rows)
    return files


def write(folder: Path, files: list[list[dict[str, Any]]]) -> None:
    """Drop the files that are not there yet one after the other, as a gateway would, a second apart."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(files):
        target = folder / f"{number:04d}.json"
        if not target.exists():
            part = folder / f".{number}.part"
            part.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            os.utime(part, (1_700_000_000 + number, 1_700_000_000 + number))
            part.replace(target)


def settings(*, archive: bool = False) -> dict[str, Any]:
    return {
        "streams": {"air": {
            "event_type": "<urn:Report>",
            "time": {"attribute": "at"},
            "identity": ["sensor", "at"],
            "lateness": "4s",
            "source": {"format": "json", "path": "in", "maxFilesPerTrigger": 1},
            "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
        }},
        "archive": {"enabled": archive},
        "engine": {"trigger": "0s"},
    }  # fmt: skip


def submit_all(engine: Engine) -> None:
    for label, text in QUERIES.items():
        engine.submit(text, label=label, collect=False)


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of a JSON lines sink by query."""
    found: dict[str, list[dict[str, Any]]] = {label: [] for label in QUERIES}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["_query"]].append(row)
    return found


def run(folder: Path, spark: SparkSession, *, archive: bool = False) -> Path:
    """One whole run; gives the file of rows."""
    out = folder / "rows.jsonl"
    project = Project.parse(settings(archive=archive), root=folder)
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.run_available()
        engine.finish()
    return out


def test_the_engine_gives_the_rows_of_evaluate(tmp_path: Path, spark: SparkSession) -> None:
    """Items, times and order are those of the same document without Spark."""
    files = tuples(1)
    write(tmp_path / "in", files)
    found = rows_of(run(tmp_path, spark))
    project = Project.parse(settings(), root=tmp_path)
    raw = [row for rows in files for row in rows]
    for label, text in QUERIES.items():
        document = f"{QUERIES['rise']}; {text}" if label == "rises" else text
        expected = project.evaluate(document, {"air": raw})
        assert [row["_events"] for row in found[label]] == [row["_events"] for row in expected]
        assert expected, label


class _CrashError(Exception):
    pass


@pytest.mark.parametrize("point", ["archive", "sink", "snapshot", "after"])
def test_a_crash_at_any_point_of_a_batch_loses_and_repeats_nothing(
    point: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third batch breaks before, between and after its durable steps; the next start gives the whole answer."""
    files = tuples(2)
    write(tmp_path / "whole" / "in", files)
    expected = run(tmp_path / "whole", spark, archive=True).read_text(encoding="utf-8")

    folder = tmp_path / "broken"
    write(folder / "in", files)
    out = folder / "rows.jsonl"
    project = Project.parse(settings(archive=True), root=folder)
    with monkeypatch.context() as patch, Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        _break(engine, point, patch)
        with pytest.raises(PipelineError, match="a batch failed"):
            engine.run_available()
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.run_available()
        kept = engine.archive.matches.log
        assert {query: kept.count(query) for query in kept.streams()} == {"rise": engine.progress.matches["rise"]}
        engine.finish()
        assert engine.progress.records == FILES * (ROWS + 1)
        assert engine.archive.log.count("air") == engine.progress.streams["air"].events
    assert out.read_text(encoding="utf-8") == expected


def _break(engine: Engine, point: str, patch: pytest.MonkeyPatch) -> None:
    """Let the third batch fail right after (`snapshot`: right before) the step named by `point`."""
    owner: Any = {
        "archive": engine.archive,
        "sink": engine._sinks[0],
        "snapshot": engine._flow._checkpoint._snapshots,
        "after": engine._flow._checkpoint._snapshots,
    }[point]  # fmt: skip
    name = {"archive": "append", "sink": "flush", "snapshot": "write", "after": "write"}[point]
    original = getattr(owner, name)
    calls = 0

    def broken(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3 and point == "snapshot":
            raise _CrashError
        result = original(*arguments)
        if calls == 3:
            raise _CrashError
        return result

    patch.setattr(owner, name, broken)


def test_a_lost_snapshot_is_rebuilt_from_the_log(tmp_path: Path, spark: SparkSession) -> None:
    files = tuples(3)
    write(tmp_path / "whole" / "in", files)
    expected = rows_of(run(tmp_path / "whole", spark))
    folder = tmp_path / "lost"
    write(folder / "in", files[:3])
    out = folder / "rows.jsonl"
    project = Project.parse(settings(archive=True), root=folder)
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.run_available()
    for snapshot in (folder / "var" / "state" / "snapshots").glob("*.snapshot"):
        snapshot.unlink()
    write(folder / "in", files)
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        submit_all(engine)
        engine.run_available()
        engine.finish()
    found = rows_of(out)
    assert {q: [r["_id"] for r in rows] for q, rows in found.items()} == {
        q: [r["_id"] for r in rows] for q, rows in expected.items()
    }


def _checkpoint(folder: Path) -> Path:
    return max(folder.glob("var/state/generation-*")) / "checkpoint"


def _empty_the_plan(folder: Path) -> Path:
    max((_checkpoint(folder) / "offsets").glob("[0-9]*")).write_bytes(b"")
    return folder


def _fall_behind(folder: Path) -> Path:
    for name in ("offsets", "commits", "sources/0"):
        path = max((_checkpoint(folder) / name).glob("[0-9]*"), key=lambda path: int(path.name))
        path.unlink()
        path.with_name(f".{path.name}.crc").unlink()
    return folder


def _move(folder: Path) -> Path:
    return folder.rename(folder.with_name("moved"))


def _harm_the_state(folder: Path) -> Path:
    max(folder.glob("var/state/snapshots/*.snapshot")).write_bytes(b"PK")
    (folder / "var/state/queries/registrations.json").write_bytes(b"")
    max((_checkpoint(folder) / "commits").glob("[0-9]*")).write_bytes(b"")
    return folder


def _lose_the_checkpoint(folder: Path) -> Path:
    for generation in folder.glob("var/state/generation-*"):
        shutil.rmtree(generation)
    return folder


HARMS: tuple[tuple[Callable[[Path], Path], str], ...] = (
    (_empty_the_plan, "Spark's checkpoint is damaged"),
    (_fall_behind, "Spark's checkpoint ends with batch"),
    (_move, "the project was moved from"),
    (_harm_the_state, "the snapshot of batch"),
    (_lose_the_checkpoint, "Spark's checkpoint is gone"),
)


def test_whatever_is_lost_between_two_files_the_engine_goes_on_by_itself(tmp_path: Path, spark: SparkSession) -> None:
    """One file after the other, and something else is lost after each: the rows are those of one run."""
    files = tuples(5)
    write(tmp_path / "whole" / "in", files)
    expected = rows_of(run(tmp_path / "whole", spark))
    folder, told = tmp_path / "lost", list[str]()
    for number in range(1, FILES + 1):
        write(folder / "in", files[:number])
        project = Project.parse(settings(archive=True), root=folder)
        out = [JsonLinesSink(folder / "rows.jsonl")]
        with Engine(project, spark=spark, sinks=out, on_notice=told.append) as engine:
            submit_all(engine)
            engine.run_available()
            if number == FILES:
                engine.finish()
                count = engine.progress.streams["air"]
        if number <= len(HARMS):
            folder = HARMS[number - 1][0](folder)
    assert (count.late, count.events) == (0, len({(row["sensor"], row["at"]) for rows in files for row in rows}))
    for _, reason in HARMS:
        assert any(reason in line for line in told), (reason, told)
    found = rows_of(folder / "rows.jsonl")
    assert {q: [r["_id"] for r in rows] for q, rows in found.items()} == {
        q: [r["_id"] for r in rows] for q, rows in expected.items()
    }


def test_bad_records_go_to_the_dead_letters_and_the_stream_goes_on(tmp_path: Path, spark: SparkSession) -> None:
    good = {"sensor": "a", "at": "2026-03-01T00:00:00Z", "flow": 99.0}
    lines = ["{broken", json.dumps(good), json.dumps(good | {"flow": "much", "sensor": "b"}), json.dumps({"flow": 1})]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    taken: list[dict[str, Any]] = []
    project = Project.parse(settings(), root=tmp_path)
    with Engine(project, spark=spark, sinks=[CallbackSink(lambda _, row: taken.append(row))]) as engine:
        engine.submit(QUERIES["high"], label="high", collect=False)
        engine.run_available()
        engine.finish()
        count = engine.progress.streams["air"]
    assert (count.events, count.rejected, count.malformed) == (1, 2, 1)
    assert [row["sensor"] for row in taken] == ["a"]
    letters = [
        json.loads(line)
        for file in sorted((tmp_path / "var/state/dead-letters/air").iterdir())
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert {letter["record"] for letter in letters} == {lines[0], lines[2], lines[3]}
    assert all(letter["reason"] and letter["place"] for letter in letters)


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
        monkeypatch.setattr(streaming_engine, "start_spark", lambda _, *, brief: spark.newSession() if brief else None)
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


def test_a_handle_gives_rows_and_ends_with_its_limit(tmp_path: Path, spark: SparkSession) -> None:
    write(tmp_path / "in", tuples(4))
    project = Project.parse(settings(), root=tmp_path)
    text = QUERIES["high"] + " PATH { ?e a <urn:Report> } LIMIT 3"
    with Engine(project, spark=spark) as engine:
        handle = engine.submit(text, label="first")
        before = handle.state
        assert "so far" not in handle.explain()
        rows = list(handle.matches())
        assert (before, handle.state) == ("registered", "ended")
        (cost,) = handle.subqueries
        assert f"so far: {cost}" in handle.explain()
    assert len(rows) == 3
    assert 3 <= cost.events <= FILES * ROWS
    assert (cost.misses, cost.hits + cost.misses) == (1, cost.keys)
    assert rows == Project.parse(settings()).evaluate(text, {"air": [r for f in tuples(4) for r in f]})


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


def test_a_query_submitted_later_begins_at_now(tmp_path: Path, spark: SparkSession) -> None:
    """Its default WITHIN is what comes after the greatest time stamp at the batch border."""
    files = tuples(5)
    write(tmp_path / "in", files[:3])
    project = Project.parse(settings(), root=tmp_path)
    with Engine(project, spark=spark) as engine:
        engine.run_available()
        border = engine.progress.time
        assert border is not None
        handle = engine.submit(QUERIES["high"], label="late")
        write(tmp_path / "in", files)
        engine.run_available()
        engine.finish()
        rows = list(handle.matches())
    assert rows
    assert min(row["_time"] for row in rows) > border


def test_a_query_submitted_later_may_begin_in_the_past(tmp_path: Path, spark: SparkSession) -> None:
    """The log answers what WITHIN asks of the time before; the rows are those of a query that was always there."""
    files = tuples(7)
    raw = [row for rows in files for row in rows]
    write(tmp_path / "in", files[:4])
    project = Project.parse(settings(archive=True), root=tmp_path)
    texts = {label: f"{text} WITHIN (2026-03-01T00:01, ) {REST[label]}" for label, text in WITHIN_FORMS.items()}
    with Engine(project, spark=spark) as engine:
        engine.submit(QUERIES["rise"], collect=False)
        engine.run_available()
        handles = {label: engine.submit(text, label=label) for label, text in texts.items()}
        write(tmp_path / "in", files)
        engine.run_available()
        engine.finish()
        found = {label: list(handle.matches()) for label, handle in handles.items()}
    for label, text in texts.items():
        document = f"{QUERIES['rise']}; {text}" if label == "rises" else text
        expected = project.evaluate(document, {"air": raw})
        assert expected
        assert [row["_events"] for row in found[label]] == [row["_events"] for row in expected]


def test_without_an_archive_there_is_no_past(tmp_path: Path, spark: SparkSession) -> None:
    files = tuples(8)
    write(tmp_path / "in", files[:2])
    with Engine(Project.parse(settings(), root=tmp_path), spark=spark) as engine:
        engine.run_available()
        past = engine.submit("SELECT ?e.flow FROM (?e, air) WITHIN (2026-03-01T00:01, )", label="past")
        write(tmp_path / "in", files)
        engine.run_available()
        with pytest.raises(PlanError) as error:
            list(past.matches())
    assert past.state == "parked"
    assert str(error.value) == (
        "'past' begins in the past, of which there is no archive: set archive.enabled, or begin WITHIN at now"
    )


def test_two_streams_are_merged_by_event_time(tmp_path: Path, spark: SparkSession) -> None:
    content = settings()
    content["streams"]["door"] = content["streams"]["air"] | {
        "source": {"format": "csv", "path": "doors"}, "identity": [], "attributes": {"sensor": {}},
    }  # fmt: skip
    content["streams"]["door"]["attributes"] = {"room": {"datatype": "xsd:string"}}
    air = [{"sensor": "a", "at": (START + timedelta(seconds=s)).isoformat(), "flow": 90.0} for s in (0, 10, 20)]
    doors = [{"room": "a", "at": (START + timedelta(seconds=s)).isoformat()} for s in (5, 15)]
    write(tmp_path / "in", [air])
    (tmp_path / "doors").mkdir()
    lines = ["room,at", *(f"{row['room']},{row['at']}" for row in doors)]
    (tmp_path / "doors" / "0.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = """SELECT ?d.room FROM (?d, door), (?a, air)
              JOIN (?d.room = ?a.sensor) SEQ (?d, ?a) WINDOW (?d, ?a, 8s)"""
    project = Project.parse(content, root=tmp_path)
    with Engine(project, spark=spark) as engine:
        handle = engine.submit(text)
        engine.run_available()
        engine.finish()
        rows = list(handle.matches())
    assert rows == project.evaluate(text, {"air": air, "door": doors})
    assert len(rows) == 2


def test_parquet_sink_and_archive(tmp_path: Path, spark: SparkSession) -> None:
    """Every event is archived, and every match of a named query with its events, and SPARQL sees them."""
    write(tmp_path / "in", tuples(6))
    project = Project.parse(settings(archive=True), root=tmp_path)
    with Engine(project, spark=spark, sinks=[ParquetSink(tmp_path / "out")]) as engine:
        submit_all(engine)
        engine.run_available()
        events = engine.progress.streams["air"].events
        engine.archive.flush()
        answer = engine.archive.query("SELECT (COUNT(?e) AS ?n) { ?e a <urn:Report> }")
        rises, found = engine.progress.matches["rise"], engine.archive.query(FOUND)
        assert isinstance(answer, Solutions)
        assert answer.to_arrow()["n"].to_pylist() == [events]
        assert isinstance(found, Solutions)
        assert found.rows == [(rises, 2 * rises)]
        matches = engine.progress.matches["high"]
    assert pq.read_table(tmp_path / "out" / "high").num_rows == matches
