"""The engine end to end over Spark: the same rows as `evaluate`, whatever happens in between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from kaicep import Engine, PipelineError, Project
from kaicep.archive.sparql import Solutions
from kaicep.pipeline.sinks import CallbackSink, JsonLinesSink, ParquetSink
from support.command_line import wait_for
from support.gateway_files import FILES, QUERIES, ROWS, START, rows_of, run, settings, submit_all, tuples, write
from support.sampling import some_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


FOUND = """SELECT (COUNT(DISTINCT ?m) AS ?n) (COUNT(?e) AS ?events)
           { ?m a kaicep:Match ; prov:wasDerivedFrom ?e . ?e a <urn:Report> }"""


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


@pytest.mark.parametrize("point", some_of(["archive", "sink", "snapshot", "after"], 1))
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
    for name in ("registrations.json", ".registrations.json.copy"):
        (folder / "var/state/queries" / name).write_bytes(b"")
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


@pytest.mark.long
def test_executors_leave_what_the_driver_leaves(tmp_path: Path, spark: SparkSession) -> None:
    """Rows in a sink, matches in the archive, events in the log and in the store, and what is told of the engine."""
    files, waiting = tuples(5), []
    for hosting in ("driver", "executors"):
        folder = tmp_path / hosting
        write(folder / "in", [*files, [{"sensor": "a", "at": "soon"}]])
        content = settings(archive=True)
        content["engine"] |= {"hosting": hosting}
        project = Project.parse(content, root=folder)
        with Engine(project, spark=spark, sinks=[JsonLinesSink(folder / "rows.jsonl")]) as engine:
            submit_all(engine)
            engine.run_available()
            assert engine.hosting == hosting
            waiting.append((engine.rows_at_end(), list(engine.ask("SELECT COUNT(?p) AS n FROM (?p, PARTIAL(rise))"))))
            engine.finish()
            assert engine.archive.flush(60)
            found = engine.archive.query(FOUND)
            assert isinstance(found, Solutions)
            assert len(found.rows) == 1
            status = engine.status
        told = [(each.splits, each.records, each.shards, each.logged) for each in status.executors.values()]
        records, logged = FILES * (ROWS + 1) + 1, FILES * ROWS
        splits, _, shards, _ = (sum(of) for of in zip(*told, strict=True)) if told else (0, 0, 0, 0)
        assert (splits, sum(of[1] for of in told)) == ((FILES + 1, records) if told else (0, 0))
        assert status.hosting == hosting
        assert bool(told) == (hosting == "executors") == bool(shards)
        assert sum(of[3] for of in told) <= logged
    assert waiting[0] == waiting[1]
    assert all(waiting[0])
    driver, executors = tmp_path / "driver", tmp_path / "executors"
    assert rows_of(driver / "rows.jsonl") == rows_of(executors / "rows.jsonl")
    for kind in ("log/air", "matches/rise"):
        parts = [sorted((folder / "var/archive" / kind).glob("*.parquet")) for folder in (driver, executors)]
        own, other = ([row for path in of for row in pq.read_table(path).to_pylist()] for of in parts)
        assert own == other
        assert own
    letters = [list((folder / "var/state/dead-letters").rglob("*.jsonl")) for folder in (driver, executors)]
    assert [[json.loads(path.read_text())["record"] for path in of] for of in letters] == [
        ['{"sensor": "a", "at": "soon"}']
    ] * 2


def test_queries_come_and_go_while_executors_answer(tmp_path: Path, spark: SparkSession) -> None:
    """Other queries keep their state; one that asks for the past has it, too."""
    files = tuples(6)
    content = settings(archive=True)
    content["engine"] |= {"hosting": "executors"}
    project = Project.parse(content, root=tmp_path)
    write(tmp_path / "in", files[:2])
    with Engine(project, spark=spark) as engine:
        mean = engine.submit(QUERIES["mean"], label="mean")
        engine.run_available()
        past = engine.submit("SELECT ?e.flow FROM (?e, air) WITHIN [now - 1h, now + 1h]", label="past")
        high = engine.submit(QUERIES["high"], label="high")
        write(tmp_path / "in", files[:4])
        engine.run_available()
        high.stop()
        write(tmp_path / "in", files)
        engine.run_available()
        engine.finish()
        assert len(list(high.matches())) > 0
        assert len(list(past.matches())) > 2 * (ROWS + 1)
        found = [row["n"] for row in mean.matches()]
    raw = [row for rows in files for row in rows]
    assert found == [row["n"] for row in project.evaluate(QUERIES["mean"], {"air": raw})]


def test_executors_answer_what_comes_and_a_later_start_goes_on(tmp_path: Path, spark: SparkSession) -> None:
    """Also after a stop, in the same process."""
    files = tuples(7)
    content = settings()
    content["engine"] |= {"hosting": "executors"}
    project = Project.parse(content, root=tmp_path)
    (tmp_path / "in").mkdir()
    out = tmp_path / "rows.jsonl"
    with Engine(project, spark=spark, sinks=[JsonLinesSink(out)]) as engine:
        engine.submit(QUERIES["mean"], label="mean", collect=False)
        for there in (2, FILES):
            engine.start()
            write(tmp_path / "in", files[:there])
            wait_for(lambda there=there: engine.progress.records == there * (ROWS + 1))  # type: ignore[misc]
            engine.stop()
        engine.finish()
    found = [row["n"] for row in rows_of(out)["mean"]]
    raw = [row for rows in files for row in rows]
    assert found == [row["n"] for row in project.evaluate(QUERIES["mean"], {"air": raw})]
