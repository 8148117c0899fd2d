"""An engine without Spark that reads folders of files, by the door of the real one, and what it leaves."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from kaicep import Project
from kaicep.archive import Archive
from kaicep.archive.log import EventLog, read_segment
from kaicep.pipeline.actions import ActionCall, Outbox, outbox_folder
from kaicep.pipeline.durability import BatchFiles, CheckpointedFlow, current_generation
from kaicep.pipeline.sinks import Sink
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sinks.parquet_sink import ParquetSink
from kaicep.pipeline.sources import RawBatch, beat
from kaicep.pipeline.sources.json_source import parse_json_lines
from kaicep.pipeline.sources.records import RecordOrigin

from .recorded_spark import RecordedSpark

__all__ = ["CONTEXTS", "QUERIES", "Handed", "Remains", "drop_files", "file_number", "remains", "run_engine"]

STREAMS = ("air", "door")
QUERIES = """CREATE QUERY pairs AS SELECT ?a.x AS x FROM (?a, air), (?d, door) JOIN (?a.x = ?d.x) SEQ (?a, ?d)
             WINDOW (?a, ?d, 20s);
             SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 5s)"""
CONTEXTS = """CREATE CONTEXTS load (calm DEFAULT, busy, tired) BY k;
INITIATE CONTEXT busy (?e.x AS began) FROM (?e, air) FILTER (?e.m = 1);
SWITCH CONTEXT tired FROM (?a, air), (?d, door) IN CONTEXT busy FILTER (?d.m = 3) SEQ (?a, ?d) WINDOW (?a, ?d, 6s);
TERMINATE CONTEXT tired FROM (?d, door) FILTER (?d.m = 0);
CREATE QUERY risen AS SELECT ?a.x AS x, ?d.x AS y, ?b.began AS began FROM (?a, air), (?d, door)
  IN CONTEXT busy AS ?b, tired SEQ (?a, ?d) WINDOW (?a, ?d, 5s);
CREATE QUERY spells AS SELECT COUNT(?e) AS n, SUM(?e.x) AS total FROM (?e, air) IN CONTEXT busy, tired
  WINDOW (?e, CONTEXT);
CREATE QUERY calmly AS SELECT COUNT(?e) AS n FROM (?e, door) IN CONTEXT calm WINDOW (?e, sliding, 3s);
CREATE RULE tell ON risen IF (?row.x > 3) DO CALL ops(?row.x AS x, ?row.began AS began);
CREATE RULE wake ON air IF (?row.m = 4) DO EMIT note(?row.x AS x, ?row.k AS k), INITIATE CONTEXT tired;
CREATE RULE rest ON door IF (?row.m = 2) DO TERMINATE CONTEXT busy, TERMINATE CONTEXT tired DEFERRED;
CREATE RULE heed ON note DO CALL ops(?row.x AS x) PRIORITY 1;
SELECT ?c.context, ?c.change, ?c.since, ?c.k FROM (?c, CONTEXTS(load))"""
"""Changes by events, patterns and rules; readers with a pattern and with aggregates; calls; the changes themselves."""

_KNOWN: dict[bytes, Sequence[str]] = {}


@dataclass(frozen=True)
class Remains:
    """What an engine has left.

    Attributes:
        rows: of each query in the file of JSON lines, in order, without what says where they come from.
        parquet: ids of rows in the files of each query, each as often as it stands there.
        events: ids of each stream's events in the log, likewise; "late" stands behind those that were.
        matches: ids of the rows of named queries in the log, each as often as it stands there.
        dead: records that are no events, each as often as it stands there.
    """

    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    parquet: Mapping[str, Counter[str]]
    events: Mapping[str, Counter[str]]
    matches: Counter[str]
    dead: Counter[str]


@dataclass
class Handed:
    """Who takes the calls of rules, as somebody does who survives the engine; its answers reach the engine.

    Attributes:
        calls: in the order in which they came.
        batches: of which batch each was.
        most: how many of a lane go out at once.
    """

    calls: list[ActionCall] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    most: int = 3

    def upto(self, count: int) -> Handed:
        """The first of them."""
        return Handed(self.calls[:count], self.batches[:count], self.most)

    def by_rule(self) -> dict[str, list[tuple[str, str]]]:
        """Of each rule its calls in order, with their arguments; one that came again is there once."""
        found: dict[str, dict[str, str]] = {}
        for call in self.calls:
            found.setdefault(call.rule, {}).setdefault(call.id, call.arguments)
        return {rule: list(calls.items()) for rule, calls in found.items()}


class _Keeper:
    """The outbox, whose calls go out at once when they may, one thread for all: so that each run is like the other."""

    def __init__(self, outbox: Outbox, handed: Handed) -> None:
        self._outbox, self._handed = outbox, handed

    def put(self, batch: int, calls: pa.Table) -> None:
        self._outbox.put(batch, calls)

    def end(self) -> None:
        pass

    def release(self, batch: int) -> None:
        for lane in sorted(self._outbox.release(batch)):
            while (piece := self._outbox.take(lane, self._handed.most)) is not None:
                self._handed.calls += piece.calls
                self._handed.batches += [batch for batch, _ in piece.ends]
                self._outbox.acknowledge(piece)


def content(*, archive: bool = True) -> dict[str, Any]:
    """The project's."""
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "identity": ["x", "t"],
        "lateness": "2s",
        "attributes": {name: {"datatype": "xsd:integer"} for name in ("x", "k", "m")},
    }
    sources = {name: stream | {"source": {"format": "json", "path": name}} for name in STREAMS}
    kept = {"enabled": archive, "store": False, "path": "var/archive"}
    actions = {"ops": {"python": "somebody:takes"}}
    return {"knowledge": {"reasoner": "none"}, "streams": sources, "archive": kept, "actions": actions}


def drop_files(root: Path, numbers: range) -> None:
    """Files of readings, one of each stream a number; some have a line that is none, or one that comes too late."""
    for stream, shift in (("air", 0), ("door", 1)):
        (root / stream).mkdir(parents=True, exist_ok=True)
        for number in numbers:
            seconds = [4 * number + shift + i for i in range(4)]
            readings = [(s, s - shift) for s in seconds] + (
                [(4 * number - 7, 1000 + number)] if number % 3 == 2 else []
            )
            lines = [
                json.dumps({"x": x, "k": x % 2, "m": 2 * x % 5, "t": f"2026-01-01T00:{s // 60:02d}:{s % 60:02d}Z"})
                for s, x in readings
            ]
            lines += [f"no reading {number}"] if number % 4 == 1 else []
            (root / stream / f"{number:04d}.json").write_text("\n".join(lines) + "\n")


def file_number(path: str) -> int:
    """The number of a file of readings by its path from the folder on; -1: it is another file."""
    folder, _, name = path.partition("/")
    return int(name.removesuffix(".json")) if folder in STREAMS else -1


def run_engine(
    root: Path,
    most: int | None = None,
    *,
    archive: bool = True,
    parquet: bool = True,
    queries: str = QUERIES,
    handed: Handed | None = None,
    on_batch: Callable[[int], None] = lambda _: None,
) -> list[str]:
    """Do all that there is to be done, as an engine does that is started; what it says.

    Args:
        root: the project's folder.
        most: files of a stream that a batch has; `None`: all.
        archive: whether there is one.
        parquet: whether rows go into Parquet files as well as into JSON lines.
        queries: its document.
        handed: who takes the calls of rules; `None`: there are none.
        on_batch: told of each batch when Spark has noted that it is done.
    """
    told: list[str] = []
    project = Project.parse(content(archive=archive), root=root)
    settings, state = project.settings, root / "var/state"
    with ExitStack() as opened:
        kept = opened.enter_context(Archive(settings, project.knowledge, project.shapes)) if archive else None
        lines = JsonLinesSink(root / "out/rows.jsonl")
        opened.enter_context(_lost(lines))
        sinks: list[Sink] = [lines, *([ParquetSink(root / "out/parquet")] if parquet else [])]
        outbox = None if handed is None else _Keeper(Outbox(outbox_folder(state)), handed)
        flow = CheckpointedFlow(project, state, sinks, kept, say=told.append, outbox=outbox)
        opened.callback(flow.close)
        assert handed is None or max(handed.batches, default=0) <= flow.done  # a call is the effect of what is durable
        flow.queries.submit(project.registrations(queries, "count"))
        generation = current_generation(settings, state, flow.last or 0, told.append)
        flow.begin(generation)
        generation.heartbeats.mkdir(parents=True, exist_ok=True)
        if flow.queries.behind:
            beat(generation.heartbeats)
        folders = [*(root / stream for stream in STREAMS), generation.heartbeats]
        spark = RecordedSpark(generation.checkpoint, folders, most)
        for number, files in spark.batches():
            flow.deliver(generation.base + number, generation, _reader(files))
            spark.commit()
            on_batch(generation.base + number)
        for sink in sinks:
            sink.flush()
    return told


@contextmanager
def _lost(lines: JsonLinesSink) -> Iterator[None]:
    """Lose what was not written of a file where an engine ends by an error, as when its process does."""
    try:
        yield
    except BaseException:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), lines._file.fileno())
        raise


def remains(root: Path, *, archive: bool = True) -> Remains:
    """What is left."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in (root / "out/rows.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows.setdefault(row["_query"], []).append({k: v for k, v in row.items() if k not in {"_source", "_recovered"}})
    parquet = {
        folder.name: Counter(i for file in folder.glob("*.parquet") for i in _ids(file))
        for folder in (root / "out/parquet").iterdir()
    }
    dead = Counter(
        json.loads(line)["record"]
        for file in (root / "var/state/dead-letters").glob("*/*.jsonl")
        for line in file.read_text().splitlines()
    )
    events, matches = _archived(root) if archive else ({}, Counter())
    return Remains(rows, parquet, events, matches, dead)


def _archived(root: Path) -> tuple[dict[str, Counter[str]], Counter[str]]:
    events, matches = EventLog(root / "var/archive/log"), EventLog(root / "var/archive/matches")
    found = {stream: Counter(_logged_ids(events, stream)) for stream in events.streams()}
    return found, Counter(i for query in matches.streams() for i in _logged_ids(matches, query))


def _logged_ids(log: EventLog, stream: str) -> Iterator[str]:
    return (i for segment in log.manifest(stream).segments() for i in _ids(Path(str(segment.path))))


def _ids(file: Path) -> Sequence[str]:
    """Of the rows in a Parquet file; what is late has a word behind it. Each content is read and checked once."""
    content = file.read_bytes()
    if content not in _KNOWN:
        table = (read_segment if "_time" in pq.read_schema(file).names else pq.read_table)(file)
        flags = table["_late"].to_pylist() if "_late" in table.column_names else [None] * table.num_rows
        told = zip(table["_id"].to_pylist(), flags, strict=True)
        _KNOWN[content] = [f"{i} late" if flag else i for i, flag in told]
    return _KNOWN[content]


def _reader(
    files: Sequence[Sequence[Path]],
) -> Callable[[BatchFiles], dict[str, RawBatch]]:
    def read(of_batch: BatchFiles) -> dict[str, RawBatch]:
        found = {}
        for stream, of in zip(STREAMS, files, strict=False):
            new = [path for path in of if f"file://{quote(str(path))}" not in of_batch.passed_over.get(stream, ())]
            lines = [line for path in new for line in path.read_text().splitlines()]
            if lines:
                found[stream] = parse_json_lines(pa.array(lines), RecordOrigin.of("batch"), "t")
        return found

    return read
