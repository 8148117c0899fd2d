"""Events that an archiver kept while no engine ran: missed matches come once, in order; then the stream goes on."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep import PipelineError
from kaicep.archive import Archive, backup
from kaicep.archive.sync import Spool
from kaicep.archive.sync.spool import Spool as SpoolClass
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sources.records import RawBatch
from support.living import archive_of, batch, project

PAIRS = (
    "CREATE QUERY pairs AS SELECT ?a.at AS a, ?b.at AS b FROM (?a, air), (?b, air) "
    "JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 2s); "
    "CREATE QUERY mean AS SELECT COUNT(?e) AS n, ?e.sensor AS sensor FROM (?e, air) WINDOW (?e, batch, 3s) "
    "GROUP BY ?e.sensor"
)
LAST = 9
NOTHING: dict[str, RawBatch] = {}


class Process:
    """An engine without Spark, over a folder; its rows go to `rows.jsonl` there."""

    def __init__(self, folder: Path, *, begun: int = 0) -> None:
        folder.mkdir(exist_ok=True)
        given = project(folder, archive=True)
        self.out, self.said = folder / "rows.jsonl", list[str]()
        self.archive: Archive = archive_of(given)
        state = folder / "var" / "state"
        self.flow = CheckpointedFlow(given, state, [JsonLinesSink(self.out)], self.archive, say=self.said.append)
        self.flow.versions.begun = begun
        self.flow.queries.submit(given.registrations(PAIRS, "query"))
        self.idleness = IdleStreams(given.settings.idle_timeouts())

    def run(self, number: int, *contents: int) -> None:
        """A batch with the reports of some seconds, by default those of its number."""
        self.flow.run(number, together(contents or (number,)), self.idleness)

    def kill(self) -> None:
        self.flow.close()
        self.archive.close()

    def end(self) -> None:
        self.flow.finish()
        self.kill()


def together(seconds: Sequence[int]) -> dict[str, RawBatch]:
    tables = [batch(second)["air"].table for second in seconds]
    return {"air": RawBatch(pa.concat_tables(tables))} if tables else {}


class Archiver:
    """An archiver of a folder, without Spark; it runs until it is closed."""

    def __init__(self, folder: Path) -> None:
        self._annotator = project(folder, archive=True).annotators["air"]
        self.spool = Spool(folder / "var" / "archive")
        self.spool.lock()

    def keep(self, *seconds: int) -> None:
        """Keep the reports of some seconds, a batch each."""
        for second in seconds:
            self.spool.append({"air": self._annotator.annotate(batch(second)["air"].table).events})


def keep(folder: Path, *seconds: int) -> None:
    """What an archiver does that ends when it has kept the reports of some seconds."""
    archiver = Archiver(folder)
    archiver.keep(*seconds)
    archiver.spool.tidy()
    archiver.spool.close()


def rows(folder: Path) -> list[dict[str, Any]]:
    """What a consumer has, by query, without what says where it comes from."""
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    found = [{k: v for k, v in json.loads(line).items() if k not in ("_source", "_recovered")} for line in lines]
    return sorted(found, key=lambda row: str(row["_query"]))


def marks(folder: Path) -> list[tuple[str, str, bool]]:
    """Of each pair its end, where it comes from, and whether it was missed."""
    lines = [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(r["b"][17:19], r["_source"], r.get("_recovered", False)) for r in lines if r["_query"] == "pairs"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The rows of an engine that was always there."""
    folder = tmp_path_factory.mktemp("whole")
    process = Process(folder)
    for number in range(1, LAST + 1):
        process.run(number)
    process.end()
    found = rows(folder)
    assert {row["_query"] for row in found} == {"pairs", "mean"}
    return found


def interrupted(folder: Path, upto: int = 4) -> None:
    process = Process(folder)
    for number in range(1, upto + 1):
        process.run(number)
    process.kill()


def events(process: Process) -> tuple[int, int]:
    """How many events the log holds, and how many it says it holds."""
    log = process.archive.log
    return log.read("air").num_rows, log.count("air")


@pytest.mark.slow
def test_missed_matches_come_once_and_in_order(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    """Also those that span the beginning of the outage, or its end."""
    interrupted(tmp_path)
    keep(tmp_path, 5, 6, 7)
    process = Process(tmp_path)
    assert process.flow.queries.behind
    process.run(5, 8, 9)
    assert process.said == ["recovery: 12 events of air, 2026-01-01T00:00:05Z to 2026-01-01T00:00:07Z, from the intake"]
    assert not process.flow.overdue(process.idleness)
    process.end()
    assert rows(tmp_path) == expected
    missed = [("04", "archive", True), ("05", "archive", True), ("06", "archive", True), ("07", "archive", True)]
    assert list(dict.fromkeys(marks(tmp_path))) == [
        ("02", "live", False), ("03", "live", False), ("04", "live", False), *missed,
        ("07", "live", False), ("08", "live", False), ("09", "live", False),
    ]  # fmt: skip
    assert list((tmp_path / "var/archive/intake/air").glob("*.parquet")) == []


@pytest.mark.slow
def test_what_the_source_delivers_too_counts_once(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    """The archiver had begun before the engine was killed, and the source delivers the outage again."""
    interrupted(tmp_path)
    keep(tmp_path, 2, 3, 4, 5, 6, 7)
    process = Process(tmp_path)
    process.run(5, 4, 5, 6)
    process.run(6, 7, 8)
    keep(tmp_path, 7, 8)
    process.run(7, 9)
    process.end()
    assert rows(tmp_path) == expected
    again = Process(tmp_path)
    assert events(again) == (4 * LAST, 4 * LAST)
    again.kill()


def test_large_intakes_are_taken_in_pieces(
    tmp_path: Path, expected: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[int]()
    piece = SpoolClass._piece

    def counted(self: SpoolClass, stream: str, batch: int, upto: int, _rows: int) -> Any:
        found = piece(self, stream, batch, upto, 5)
        read.append(found[0].num_rows)
        return found

    monkeypatch.setattr(SpoolClass, "_piece", counted)
    interrupted(tmp_path)
    keep(tmp_path, 5, 6, 7)
    process = Process(tmp_path)
    process.run(5, 8)
    process.run(6, 9)
    process.end()
    assert read == [4, 4, 4]
    assert rows(tmp_path) == expected


def without_snapshots(folder: Path) -> Path:
    shutil.rmtree(folder / "var/state/snapshots")
    return folder


def on_another_machine(folder: Path) -> Path:
    """Only the archive and the registered queries are there; consumers have what they have."""
    other = folder / "other"
    for kept in ("var/archive", "var/state/queries"):
        shutil.copytree(folder / kept, other / kept)
    shutil.copy(folder / "rows.jsonl", other / "rows.jsonl")
    return other


@pytest.mark.slow
@pytest.mark.parametrize("move", [without_snapshots, on_another_machine])
def test_recovery_needs_the_archive_and_the_queries_only(
    move: Callable[[Path], Path], tmp_path: Path, expected: list[dict[str, Any]]
) -> None:
    interrupted(tmp_path)
    keep(tmp_path, 5, 6, 7)
    folder = move(tmp_path)
    process = Process(folder)
    assert process.flow.last == 4
    process.run(5, 8, 9)
    process.end()
    assert rows(folder) == expected


@pytest.mark.slow
def test_a_backup_has_what_no_engine_has_taken(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    interrupted(tmp_path)
    keep(tmp_path, 5, 6, 7)
    assert Spool(tmp_path / "var/archive").rows() == {"air": 12}
    assert backup(project(tmp_path, archive=True).settings, tmp_path / "copy") == 16
    shutil.rmtree(tmp_path / "var/archive")
    shutil.move(tmp_path / "copy", tmp_path / "var/archive")
    process = Process(tmp_path)
    process.run(5, 8, 9)
    process.end()
    assert rows(tmp_path) == expected


class _CrashError(Exception):
    pass


def crash(folder: Path, owner: object, name: str, monkeypatch: pytest.MonkeyPatch, run: Callable[[], None]) -> None:
    def broken(*_: object) -> None:
        raise _CrashError

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, broken)
        with pytest.raises((_CrashError, PipelineError), match=r"^$|_CrashError"):  # a sink's is told with its name
            run()


@pytest.mark.slow
@pytest.mark.parametrize("again", [(), (8,), (8, 9)])
def test_a_batch_whose_source_cannot_deliver_it_again_is_in_the_log(
    again: tuple[int, ...], tmp_path: Path, expected: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed with the log durable and the snapshot not, while an outage is being made good."""
    interrupted(tmp_path)
    keep(tmp_path, 5, 6, 7)
    process = Process(tmp_path)
    crash(tmp_path, OperatorSnapshots, "write", monkeypatch, lambda: process.run(5, 8, 9))
    process.kill()
    keep(tmp_path, 9)
    process = Process(tmp_path, begun=5)
    process.flow.run(5, together(again), process.idleness)
    process.flow.run(6, NOTHING, process.idleness)
    process.end()
    assert rows(tmp_path) == expected


@pytest.mark.slow
@pytest.mark.parametrize("move", [without_snapshots, on_another_machine])
def test_rows_of_a_batch_that_was_not_reported_come_after_the_restart(
    move: Callable[[Path], Path], tmp_path: Path, expected: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has batch 5, the sinks do not; nobody delivers it again."""
    interrupted(tmp_path)
    process = Process(tmp_path)
    crash(tmp_path, JsonLinesSink, "begin", monkeypatch, lambda: process.run(5, 5, 6))
    process.kill()
    keep(tmp_path, 6, 7)
    folder = move(tmp_path)
    process = Process(folder)
    assert process.flow.last == 5
    assert process.flow.queries.behind
    process.run(6, 8, 9)
    process.end()
    assert rows(folder) == expected
    assert ("05", "archive", True) in marks(folder)


def test_the_first_batch_waits_for_an_archiver_that_is_behind(
    tmp_path: Path, expected: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A positive gap, measured: the archiver has seconds 6 and 7 in hand still when 8 comes live."""
    interrupted(tmp_path)
    keep(tmp_path, 5)
    archiver = Archiver(tmp_path)
    late = [6, 7, 8, 9]
    monkeypatch.setattr("kaicep.pipeline.durability.replay.spool_replay.sleep", lambda _: archiver.keep(late.pop(0)))
    process = Process(tmp_path)
    process.run(5, 8, 9)
    assert late == []
    process.end()
    archiver.spool.close()
    assert rows(tmp_path) == expected


def test_the_wait_for_an_archiver_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(tmp_path)
    archiver = Archiver(tmp_path)
    clock = iter(range(0, 1000, 6))
    monkeypatch.setattr("kaicep.pipeline.durability.replay.spool_replay.monotonic", lambda: next(clock))
    monkeypatch.setattr("kaicep.pipeline.durability.replay.spool_replay.sleep", lambda _: None)
    process = Process(tmp_path)
    process.run(5, 8)
    process.kill()
    archiver.spool.close()
    assert process.said == ["recovery: the archiver is behind the live stream (air by 0:00:04); going on without it"]


@pytest.mark.slow
def test_an_archiver_that_is_quicker_than_the_engine_is_no_news(
    tmp_path: Path, expected: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both read the streams: what was missed ends with the first live events, also in a batch that is done again."""
    interrupted(tmp_path)
    keep(tmp_path, 5)
    archiver = Archiver(tmp_path)
    process = Process(tmp_path)
    process.run(5, 5)
    archiver.keep(6, 7)
    crash(tmp_path, OperatorSnapshots, "write", monkeypatch, lambda: process.run(6, 6, 7))
    said = process.said
    process.kill()
    process = Process(tmp_path, begun=6)
    process.run(6, 6, 7)
    archiver.spool.close()
    process.run(7, 8, 9)
    process.end()
    assert rows(tmp_path) == expected
    assert said == ["recovery: 4 events of air, 2026-01-01T00:00:05Z to 2026-01-01T00:00:05Z, from the intake"]
    assert process.said == []
    assert {end for end, _, recovered in marks(tmp_path) if recovered} == {"04", "05"}
    assert ("06", "live", False) in marks(tmp_path)
