"""Rows of named queries are in the archive once, with the batch that found them, wherever the engine is killed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.archive.log import IdleWatermarkLog
from kaicep.archive.sparql import Solutions
from kaicep.cep.joins import pattern_operator
from kaicep.cep.output import row_pieces
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.dead_letters import DeadLetters
from kaicep.pipeline.durability.journal import BatchJournal
from kaicep.pipeline.durability.replay.spool_replay import SpoolReplay
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.flow.answering import QueryAnswering
from kaicep.pipeline.flow.backfill import Backfill
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sinks.parquet_sink import ParquetSink
from kaicep.pipeline.sinks.sink import Sink
from kaicep.planner import Strategy
from support.batches import pieces
from support.living import IN_OFFICES, archive_of, batch, project

LAST = 5
OFFICES = IN_OFFICES.replace("SELECT", "CREATE QUERY offices AS SELECT ?s AS who,")
PAIRS = """CREATE QUERY pairs AS SELECT ?a.at AS at FROM (?a, air), (?b, air)
           JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 1s)"""
LATE = PAIRS.replace("JOIN", "WITHIN (, ) JOIN")
BUEROS = OFFICES.replace("offices", "büros")
OF_BUEROS = "CREATE QUERY busy AS SELECT COUNT(?o) AS n FROM (?o, büros) WINDOW (?o, sliding, 2s)"
DERIVED = """SELECT ?match ?sensor { ?match kaicep:variable:busy:o ?inner . ?inner a kaicep:Match ;
             prov:wasDerivedFrom ?event . ?event ex:sensor ?sensor } ORDER BY ?match"""


class _KillError(BaseException):
    pass


@contextmanager
def engine(
    folder: Path, *texts: str, sinks: Sequence[Sink] = ()
) -> Iterator[tuple[CheckpointedFlow, Archive, Project]]:
    """An engine without Spark, with these queries."""
    asked = project(folder, archive=True)
    archive = archive_of(asked)
    flow = CheckpointedFlow(asked, folder / "state", sinks, archive)
    if texts:
        flow.queries.submit(asked.registrations("; ".join(texts), "query"))
    try:
        yield flow, archive, asked
    finally:
        flow.close()
        archive.close()


def kept(archive: Archive, query: str) -> Counter[str]:
    """Ids of a query's rows in the log, each as often as it stands there."""
    log = archive.matches.log
    tables = [log.batch_of(query, position) for position in log.positions()]
    return Counter(i for table in tables if table is not None for i in table["_id"].to_pylist())


def stored(archive: Archive, text: str) -> list[tuple[object, ...]]:
    assert archive.flush()
    found = archive.query(text)
    assert isinstance(found, Solutions)
    return list(found.rows)


def past_of(asked: Project, archive: Archive, strategy: Strategy) -> list[str]:
    """The sensors that a query over the past finds."""
    (query,) = asked.compile(IN_OFFICES.replace("PATH", "WITHIN (, ) PATH"))
    dataflow = asked.dataflow()
    dataflow.register(Registration(query, "late"))
    backfill = Backfill(dataflow, ["late"], archive, upto=archive.last, strategy=strategy)
    rows = [found["late"] for found in pieces(backfill)]
    rows.append(backfill.dataflow.process(Batch(ends=True)).matches["late"])
    return [sensor for table in rows for sensor in table["sensor"].to_pylist()]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """By label, the ids of the rows of an engine that nobody kills."""
    found: dict[str, list[str]] = {}
    with engine(tmp_path_factory.mktemp("reference"), OFFICES, PAIRS) as (flow, _, _):
        for number in range(1, LAST + 1):
            for label, rows in flow.run(number, batch(number)).matches.items():
                found.setdefault(label, []).extend(rows["_id"].to_pylist())
    return found


def test_rows_are_kept_with_what_they_come_from(tmp_path: Path) -> None:
    """Over queries of queries, strategies that ask the store take none of them for an event."""
    with engine(tmp_path, BUEROS, OF_BUEROS, "SELECT ?e.flow") as (flow, archive, asked):
        for number in range(1, LAST + 1):
            flow.run(number, batch(number, flow=1.5))
        assert archive.matches.log.streams() == ("busy", "büros")
        columns = archive.matches.log.read("büros").column_names
        assert set(columns) == {"_time", "_id", "_origin", "?e", "who", "sensor"}
        found = stored(archive, "SELECT DISTINCT ?who { ?m kaicep:attribute:b%C3%BCros:who ?who }")
        assert found == [("urn:ex:s1",)]
        assert {sensor for _, sensor in stored(archive, DERIVED)} == {"urn:ex:s1"}
        versions = stored(archive, "SELECT DISTINCT ?v { ?m prov:wasGeneratedBy/prov:used ?v } ORDER BY ?v")
        assert (f"urn:kaicep:knowledge:{asked.knowledge.version}",) in versions
        assert len(versions) == 3
        past = [past_of(asked, archive, strategy) for strategy in Strategy]
        assert past == [["s1"] * LAST] * len(Strategy)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "lost"),
    [
        ((Archive, "append"), "snapshots"),
        ((Archive, "append_matches"), "nothing"),
        ((Archive, "append_matches"), "position"),
        ((OperatorSnapshots, "write"), "snapshots"),
        ((OperatorSnapshots, "write"), "position"),
    ],
)
def test_killed_after_any_step_of_a_batch_each_row_is_kept_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, list[str]], step: tuple[Any, str], lost: str
) -> None:
    """Also when the snapshots are lost and rows are found again by a replay, some of which were reported before."""
    original = getattr(*step)

    def killed(*arguments: Any) -> None:
        original(*arguments)
        raise _KillError

    position, earlier = tmp_path / "state/queries/batches.jsonl", ""
    with engine(tmp_path, OFFICES, PAIRS) as (flow, _, _):
        for number in range(1, 4):
            flow.run(number, batch(number))
            earlier = position.read_text() if number == 1 else earlier
        with monkeypatch.context() as patch:
            patch.setattr(*step, killed)
            with pytest.raises(_KillError):
                flow.run(4, batch(4))
    if lost != "nothing":
        shutil.rmtree(tmp_path / "state/snapshots")
    if lost == "position":
        position.write_text(earlier)
    with engine(tmp_path, OFFICES, PAIRS) as (flow, archive, _):
        for number in range(4, LAST + 1):
            flow.run(number, batch(number))
        for query, ids in expected.items():
            assert kept(archive, query) == Counter(ids)
        counted = "SELECT (COUNT(?m) AS ?n) { ?m a kaicep:Match }"
        assert stored(archive, counted) == [(sum(map(len, expected.values())),)]


def test_the_past_of_a_late_query_is_kept_too(tmp_path: Path, expected: dict[str, list[str]]) -> None:
    with engine(tmp_path) as (flow, archive, asked):
        for number in range(1, 4):
            flow.run(number, batch(number))
        (query,) = asked.compile(LATE)
        flow.queries.submit([Registration(query, "pairs")])
        for number in range(4, LAST + 1):
            flow.run(number, batch(number))
        assert len(kept(archive, "pairs")) == len(expected["pairs"])
        assert set(kept(archive, "pairs").values()) == {1}


def test_rows_that_the_end_of_the_streams_would_bring_are_not_kept(tmp_path: Path) -> None:
    """An engine that reads on takes the end back."""
    with engine(tmp_path, PAIRS) as (flow, archive, _):
        flow.run(1, batch(1))
        flow.run(2, batch(2))
        before = kept(archive, "pairs")
        assert flow.finish().matches["pairs"].num_rows
        assert kept(archive, "pairs") == before


STEPS = (
    (BatchJournal, "take"),
    (DeadLetters, "write"),
    (Archive, "append"),
    (IdleWatermarkLog, "write"),
    (JsonLinesSink, "begin"),
    (JsonLinesSink, "flush"),
    (Archive, "append_matches"),
    (OperatorSnapshots, "write"),
    (BatchJournal, "finish"),
    (SpoolReplay, "settle"),
)
"""What a batch makes durable, in the order in which it does."""


def test_a_batch_is_made_durable_in_one_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[type, str]] = []

    def noted(owner: type, name: str) -> None:
        original = getattr(owner, name)

        def write(*arguments: Any, **options: Any) -> Any:
            done.append((owner, name))
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, write)

    sink = JsonLinesSink(tmp_path / "rows.jsonl")
    with engine(tmp_path, OFFICES, sinks=[sink]) as (flow, _, _):
        idle = IdleStreams({"air": timedelta.max})
        flow.run(1, batch(1), idle)
        for owner, name in STEPS:
            noted(owner, name)
        flow.run(2, batch(2), idle)
        assert tuple(done) == STEPS
        done.clear()
        flow.finish()
        assert tuple(done) == STEPS[4:6]


@pytest.mark.slow
@pytest.mark.parametrize("step", [(JsonLinesSink, "flush"), (OperatorSnapshots, "write")])
def test_a_batch_that_failed_is_done_again_whole_by_the_same_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, list[str]], step: tuple[Any, str]
) -> None:
    """Its events were admitted already: the state goes back to the snapshot before."""
    out = tmp_path / "rows.jsonl"
    with engine(tmp_path, OFFICES, PAIRS, sinks=[JsonLinesSink(out)]) as (flow, archive, _):
        for number in range(1, 4):
            flow.run(number, batch(number))
        with monkeypatch.context() as patch:
            patch.setattr(*step, _killed)
            with pytest.raises(_KillError):
                flow.run(4, batch(4))
        for number in range(4, LAST + 1):
            flow.run(number, batch(number))
        for query, ids in expected.items():
            assert kept(archive, query) == Counter(ids)
    written = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert Counter((row["_query"], row["_id"]) for row in written) == Counter(
        (query, i) for query, ids in expected.items() for i in ids
    )


def _killed(*_: Any) -> None:
    raise _KillError


@pytest.mark.parametrize("sink", [JsonLinesSink, ParquetSink])
@pytest.mark.parametrize("piece", [1, 2])
def test_pieces_that_were_written_when_it_was_killed_come_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sink: type[JsonLinesSink | ParquetSink], piece: int
) -> None:
    """Byte by byte what an engine has that nobody kills."""
    monkeypatch.setattr(row_pieces, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr(pattern_operator, "_MATCHES", 1)
    pairs = PAIRS.replace("JOIN (?a.sensor = ?b.sensor) ", "").replace("CREATE QUERY pairs AS", "")
    found = {}
    for killed in (False, True):
        folder = tmp_path / str(killed)
        folder.mkdir()
        numbers = iter(range(1, LAST + 1))
        if killed:
            doomed = sink(folder / "rows")
            with engine(folder, pairs, sinks=[doomed]) as (flow, _, _), monkeypatch.context() as patch:
                flow.run(next(numbers), batch(1))
                flow.run(next(numbers), batch(2))
                patch.setattr(QueryAnswering, "_visible", _killed_at(piece, QueryAnswering._visible))
                with pytest.raises(_KillError):
                    flow.run(3, batch(3))
            doomed.flush()  # what was written is on the disk
        with engine(folder, pairs, sinks=[sink(folder / "rows")]) as (flow, _, _):
            for number in numbers:
                flow.run(number, batch(number))
        files = [folder / "rows"] if (folder / "rows").is_file() else sorted((folder / "rows").rglob("*.parquet"))
        assert all(not path.name.endswith(".part") for path in (folder / "rows").rglob(".*"))
        found[killed] = [file.read_bytes() for file in files]
    assert found[True] == found[False]
    assert any(found[True])


def _killed_at(piece: int, visible: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Gives so many pieces, then no more."""
    given = 0

    def until(*arguments: Any, **options: Any) -> Iterator[Any]:
        nonlocal given
        given += 1
        if given > piece:
            raise _KillError
        yield from visible(*arguments, **options)

    return until
