"""Damages of durable files: a project with a file of every kind, each of which is harmed in each way.

The engine is the real one but for Spark, which gives it records: here they are given by hand, and what Spark would give
again after a restart is given again. Spark's own checkpoint is harmed in `tests/pipeline/durability`.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Self
from unittest.mock import patch

from kaicep import Engine, JsonLinesSink, KaicepError, Project
from kaicep.archive import Health, backup, open_read_view, repair, verify
from kaicep.archive.sync import Lag, Spool, compact_archive
from kaicep.config import Settings
from kaicep.pipeline.actions import ActionCall, DeliveryError, Receiver
from kaicep.pipeline.actions.delivery.failed_calls import FailedCalls
from kaicep.pipeline.durability import Generation
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin
from kaicep.storage import masked
from support.clock import Clock

__all__ = ["BATCHES", "DAMAGES", "KINDS", "Kind", "Outcome", "Station", "claims", "make_base", "outcome"]

BATCHES, STOPPED_AFTER, OLDER, SILENT = 8, 6, 3, 5
START = datetime(2026, 3, 1, tzinfo=UTC)
PROJECT = """
[prefixes]
b = "urn:building#"

[knowledge]
modules = ["building.ttl"]
reasoner = "none"

[actions.ops]
python = "somebody:takes"
backoff = "1h"
backoff_limit = "1h"

[actions.mail]
python = "somebody:takes"
tries = 1

[streams.air]
event_type = "b:AirReading"
time = { attribute = "t", property = "b:at" }
identity = ["sensor", "t"]
lateness = "2s"
max_ahead = "never"

[streams.air.attributes]
sensor = { property = "b:by", key = "b:id" }
flow = { property = "b:flow", datatype = "xsd:double" }
"""
MODEL = """@prefix b: <urn:building#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
b:AirReading a owl:Class . b:by a owl:ObjectProperty . b:in a owl:ObjectProperty . b:id a owl:DatatypeProperty .
b:flow a owl:DatatypeProperty . b:at a owl:DatatypeProperty . b:Lab a owl:Class . b:r a b:Lab .
b:s0 b:id "S0" ; b:in b:r . b:s1 b:id "S1" .
"""
MORE = """@prefix b: <urn:building#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
<urn:more> a owl:Ontology . b:s2 b:id "S2" ; b:in b:r .
"""
QUERIES = {
    "rise": "CREATE QUERY rise AS SELECT ?a.sensor, ?b.flow - ?a.flow AS by FROM (?a, air), (?b, air) "
    "JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow - ?a.flow > 30) SEQ (?a, ?b) WINDOW (?a, ?b, 20s)",
    "mean": "SELECT COUNT(?e) AS n, AVG(?e.flow) AS mean FROM (?e, air) WINDOW (?e, batch, 10s)",
    "winds": """CREATE CONTEXTS room (calm DEFAULT, windy, draught) BY sensor;
INITIATE CONTEXT windy (?e.flow AS began) FROM (?e, air) FILTER (?e.flow > 40);
SWITCH CONTEXT draught FROM (?a, air), (?b, air) IN CONTEXT windy
  FILTER (?b.flow > 80) SEQ (?a, ?b) WINDOW (?a, ?b, 9s);
TERMINATE CONTEXT draught FROM (?e, air) FILTER (?e.flow < 20);
CREATE QUERY gusts AS SELECT ?a.flow AS flow, ?w.began AS began FROM (?a, air), (?b, air)
  IN CONTEXT windy AS ?w, draught JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 20s);
CREATE QUERY spells AS SELECT MAX(?e.flow) AS most FROM (?e, air) IN CONTEXT windy, draught WINDOW (?e, CONTEXT);
CREATE RULE tell ON gusts DO CALL ops(?row.flow AS flow);
CREATE RULE warn ON spells DO CALL mail(?row.most AS most), EMIT storm(?row.most AS most);
SELECT ?s.most FROM (?s, storm)""",
}
WITHDRAWN = """CREATE CONTEXTS room (calm DEFAULT, windy, draught) BY sensor;
TERMINATE CONTEXT windy FROM (?e, air) FILTER (?e.flow < 10)"""
"""Of a query that is registered no more, and whose changes count on."""
SUBMITTED = """SELECT ?e.sensor, ?e.flow FROM (?e, air)
PATH { ?e b:by ?s . ?s b:in ?r . ?r a b:Lab } FILTER (?e.flow > 60)"""


@dataclass(frozen=True)
class Kind:
    """A kind of durable file.

    Attributes:
        name: in words.
        pattern: of its files below `var/`.
        derived: whether it may be lost without a word: it is made of others, or holds nothing.
        pick: which of its files is harmed; the newest batch comes again in any case.
    """

    name: str
    pattern: str
    derived: bool = False
    pick: int = -1

    def files(self, var: Path) -> list[Path]:
        """Its files, in order of their names."""
        return sorted(path for path in var.glob(self.pattern) if path.is_file())


KINDS = (
    Kind("archive: version of the layout", "archive/format.json"),
    Kind("archive: segment of one batch", "archive/log/air/??????-????????????.parquet", pick=-2),
    Kind("archive: segment of several batches", "archive/log/air/*_*.parquet"),
    Kind("archive: watermarks of idle streams", "archive/advances/*/*.parquet"),
    Kind("archive: matches", "archive/matches/*/*.parquet", pick=-2),
    Kind("archive: what matches come from", "archive/origins/*.json"),
    Kind("archive: store, its table of contents", "archive/store/MANIFEST-*"),
    Kind("archive: store, which contents count", "archive/store/CURRENT"),
    Kind("archive: store, its tables", "archive/store/*.sst"),
    Kind("archive: store, its options", "archive/store/OPTIONS-*"),
    Kind("archive: store, its writes", "archive/store/*.log"),
    Kind("archive: store, the rest", "archive/store/*", derived=True),
    Kind("intake: segment", "archive/intake/*/*.parquet"),
    Kind("intake: what was taken", "archive/intake/taken.json"),
    Kind("engine: snapshot", "state/snapshots/*.snapshot"),
    Kind("engine: journal of batches", "state/queries/batches.jsonl"),
    Kind("engine: registrations", "state/queries/registrations.json"),
    Kind("engine: submitted query", "state/queries/documents/*.json"),
    Kind("engine: changes of the ontology", "state/ontology/changes.json"),
    Kind("engine: version of the knowledge", "state/ontology/versions/*.json"),
    Kind("engine: copy of an ontology module", "state/ontology/modules/*.nt.gz"),
    Kind("mirrors of small files", "**/.*.copy"),
    Kind("engine: calls that wait", "state/outbox/batch-*.parquet", pick=-2),
    Kind("engine: calls that were handed on", "state/outbox/delivered.jsonl"),
    Kind("engine: calls that failed", "state/outbox/failed.jsonl", derived=True),
    Kind("engine: dead letters", "state/dead-letters/**/*.jsonl*"),
    Kind("engine: status and metrics", "state/status.json", derived=True),
    Kind("engine: silence of streams", "state/silence.json", derived=True),
    Kind("engine: what a batch takes from the intake", "state/**/taking*.json"),
    Kind("engine: metrics", "state/*.prom", derived=True),
    Kind("locks", "**/*lock*", derived=True),
    Kind("kept closures", "closures/**/*", derived=True),
    Kind("quarantine", "archive/quarantine/**/*"),
)


def claims(var: Path) -> dict[Path, Kind | None]:
    """Each file below `var/`, and the first kind that it is of."""
    files = {path.relative_to(var): None for path in sorted(var.rglob("*")) if path.is_file()}
    known: dict[Path, Kind | None] = dict(files)
    for kind in reversed(KINDS):
        known |= {path.relative_to(var): kind for path in kind.files(var)}
    return known


def missing(path: Path, _: Path | None) -> None:
    path.unlink()


def empty(path: Path, _: Path | None) -> None:
    path.write_bytes(b"")


def truncated(path: Path, _: Path | None) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def flipped(path: Path, _: Path | None) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def older(path: Path, before: Path | None) -> None:
    if before is None:
        raise FileNotFoundError(path)
    shutil.copyfile(before, path)


DAMAGES: Mapping[str, Callable[[Path, Path | None], None]] = {
    "missing": missing,
    "empty": empty,
    "truncated": truncated,
    "one bit flipped": flipped,
    "older version": older,
}


class _Taker:
    """Takes calls, unless it is away: then those for `ops` wait, and those for `mail` become dead letters."""

    batch = 4
    needs = frozenset[str]()

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self) -> None:
        pass

    def send(self, calls: Sequence[ActionCall]) -> None:
        if (self._folder / "away").exists():
            reason = "away"
            raise DeliveryError(reason)
        with (self._folder / "calls.jsonl").open("a") as file:
            file.writelines(f"call {call.action} {call.rule} {call.id} {call.arguments}\n" for call in calls)

    def close(self) -> None:
        pass


def _takers(settings: Settings, _: object) -> dict[str, Receiver]:
    """Who takes the calls of the project's actions, in this process."""
    return {name: Receiver(action, partial(_Taker, settings.root)) for name, action in settings.actions.items()}


class Station:
    """An engine of the project in a folder, to which batches are given by number, as Spark does.

    Args:
        folder: of the project.
        begun: the last batch that Spark has planned.
    """

    def __init__(self, folder: Path, begun: int = 0) -> None:
        self.said: list[str] = []
        self._open = ExitStack()
        self._open.enter_context(_logged(self.said))
        try:
            project = Project.load(folder)
            sink = JsonLinesSink(folder / "rows.jsonl")
            with patch("kaicep.pipeline.control.action_admin.receivers_of", _takers):
                self.engine = self._open.enter_context(Engine(project, sinks=[sink], on_notice=self.said.append))
            for name, text in QUERIES.items():
                self.engine.submit(text, label=name, collect=False)
            assert self.engine._submissions is not None
            self.engine._submissions.begin()
            self.anew = (self.engine._flow.last or 0) < begun
            self.engine._flow.begin(_spark(folder, self.engine._flow.last or 0, begun, anew=self.anew))
        except BaseException:
            self._open.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def deliver(self, number: int, *of: int) -> None:
        """Give a batch, with the records of others if they are named; one brings nothing but time."""
        raw, idle = {"air": readings(*(of or (number,)))}, None
        if number == SILENT and not of:
            clock = Clock()
            raw, idle = {}, IdleStreams(self.engine.project.settings.idle_timeouts(), clock)
            self.engine._flow.overdue(idle)
            clock.seconds += 31.0
            self.engine._flow.overdue(idle)
        self.engine._report(self.engine._flow.run(number, raw, idle, None))


def _spark(folder: Path, last: int, begun: int, *, anew: bool) -> Generation:
    """Spark's checkpoint: one that has planned so many batches, or a new one behind what is known."""
    checkpoint = folder / ("spark-anew" if anew else "spark")
    planned = checkpoint / "offsets"
    planned.mkdir(parents=True, exist_ok=True)
    for number in range(0 if anew else begun):
        (planned / str(number)).touch()
    return Generation(checkpoint, last + 1 if anew else 1, folder / "heartbeats")


def readings(*numbers: int) -> RawBatch:
    """The records of batches: in order, one twice, one broken."""
    rows = [row for number in numbers for row in _rows(number)]
    wrong = {"t": "never", "sensor": "S0", "flow": 1.0}
    return RawBatch(raw_table([*rows, rows[-1], wrong]), origin=RecordOrigin.of("x"))


def _rows(number: int) -> list[dict[str, object]]:
    return [
        {
            "t": (START + timedelta(seconds=10 * number + second)).isoformat(),
            "sensor": f"S{(number + second) % 4}",
            "flow": float((37 * (10 * number + second)) % 101),
        }
        for second in range(10)
    ]


def make_base(folder: Path) -> None:
    """Make the project, let an engine do its first batches and an archiver some, then let both end."""
    folder.mkdir(parents=True)
    (folder / "kaicep.toml").write_text(PROJECT)
    (folder / "building.ttl").write_text(MODEL)
    (folder / "more.ttl").write_text(MORE)
    with Station(folder) as station:
        station.deliver(1)
        assert station.engine._submissions is not None
        station.engine._submissions._answered({"submit": SUBMITTED, "label": "lab", "retention": None})
        station.engine._submissions._answered({"submit": WITHDRAWN, "label": "lull", "retention": None})
        station.engine.ontology.add(folder / "more.ttl")
        for number in range(2, OLDER + 1):
            station.deliver(number)
        station.engine._submissions._answered({"withdraw": "lull"})
        station.engine.archive.flush()
    with masked("077"):
        compact_archive(Project.load(folder).settings)
    shutil.copytree(folder / "var", folder / "older")
    with masked("077"):
        _spool(folder, OLDER + 1)
    (folder / "away").touch()
    with Station(folder) as station:
        for number in range(OLDER + 1, STOPPED_AFTER + 1):
            station.deliver(number)
        station.engine.archive.flush()
    (folder / "away").unlink()
    with masked("077"):
        _spool(folder, STOPPED_AFTER + 1)
        backup(Project.load(folder).settings, folder / "backup")


def _spool(folder: Path, number: int) -> None:
    """Let an archiver write the records of a batch that an engine is still to get."""
    project = Project.load(folder)
    spool = Spool(project.settings.path(project.settings.archive.path))
    try:
        spool.append({"air": project.annotators["air"].annotate(readings(number).table).events})
    finally:
        spool.close()


@dataclass
class Outcome:
    """What became of a damage.

    Attributes:
        happens: in words.
        seen: what the user is told.
        done: what he does.
        fault: what must not be; empty when all is well.
    """

    happens: str
    seen: str = "—"
    done: str = "nothing"
    fault: str = ""


@contextmanager
def _logged(said: list[str]) -> Iterator[None]:
    """Take the warnings of kaicep."""

    class Taking(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    handler = Taking(logging.WARNING)
    logger = logging.getLogger("kaicep")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _run(folder: Path) -> list[str]:
    """Start again, with the batches that Spark would give: those that are not done, or, all that it reads anew."""
    with Station(folder, begun=STOPPED_AFTER) as station:
        done, first = station.engine._flow.done, STOPPED_AFTER + 1
        if station.anew:
            station.deliver(done + 1, *(n for n in range(1, first) if n != SILENT))
        elif done < STOPPED_AFTER:
            station.deliver(STOPPED_AFTER)
        after = station.engine._flow.done + 1
        for number in range(first, BATCHES + 1):
            station.deliver(after + number - first, number)
        station.engine.finish()
        station.engine.archive.flush(3)
        return list(dict.fromkeys(station.said))


def answer(folder: Path) -> tuple[Counter[str], set[str]]:
    """All rows that were written, the calls that were handed on, and the ids of all events and matches of the log."""
    lines = Counter(_row(line) for line in (folder / "rows.jsonl").read_text().splitlines())
    lines |= Counter(dict.fromkeys((folder / "calls.jsonl").read_text().splitlines(), 1))
    with open_read_view(Project.load(folder).settings, store=False) as view:
        logs = [(view.log, "air"), *((view.matches.log, name) for name in view.matches.log.streams())]
        return lines, {name for log, of in logs for name in log.read(of, columns=["_id"])["_id"].to_pylist()}


def _row(line: str) -> str:
    row = json.loads(line)
    return json.dumps(
        {name: value for name, value in row.items() if name not in {"_source", "_recovered"}}, sort_keys=True
    )


def renewed(base: Path, work: Path) -> None:
    """Put the project back to where the first engine left it; files name their own place, so it is always the same."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(base, work)


def outcome(base: Path, work: Path, kind: Kind, damage: str, besides: tuple[Kind, str] | None = None) -> Outcome | None:
    """Harm a file, start again, do what is said; `None`: there is no such damage of it.

    Args:
        base: a copy of the project as it was left.
        work: where it lay, and is put back.
        kind: of the file.
        damage: one of `DAMAGES`.
        besides: another file that is harmed at once, and how.
    """
    renewed(base, work)
    if besides is not None:
        DAMAGES[besides[1]](besides[0].files(work / "var")[-1], None)
    path = kind.files(work / "var")[max(kind.pick, -len(kind.files(work / "var")))]
    before = work / "older" / path.relative_to(work / "var")
    if damage == "older version" and (not before.exists() or before.read_bytes() == path.read_bytes()):
        return None
    if damage not in {"older version", "missing"} and not path.stat().st_size:
        return None
    DAMAGES[damage](path, before)
    try:
        said = _run(work)
    except KaicepError as error:
        return _followed(base, work, path, error)
    return _started(base, work, said)


def _started(base: Path, work: Path, said: Sequence[str]) -> Outcome:
    lost, again, gone = _difference(base, work)
    always = json.loads((base / "expected.json").read_text())["said"]
    seen = _plain(work, "; ".join(line for line in said if line not in always)) or "—"
    if "the store cannot be used" in seen:
        found = verify(Project.load(work).settings)
        sound = not (found.log_faults or found.store_faults or lost or again or gone) and found.lag == Lag(0, 0)
        fault = "" if sound else f"{found}, rows lost {len(lost)}, again {len(again)}, events lost {len(gone)}"
        return Outcome("starts, nothing is lost; the store is built again", seen, "nothing", fault)
    if not (lost or again or gone):
        return Outcome("starts, nothing is lost", seen)
    settings = Project.load(work).settings
    found = verify(settings)
    noticed = found.log_faults or found.log_lacks
    repair(settings, work / "backup")
    left = _difference(base, work)
    fault = ""
    if lost or again or not noticed or left[2]:
        fault = f"rows lost {len(lost)}, again {len(again)}, noticed {noticed}, after repair still lost {len(left[2])}"
    happens = f"starts; the log is without {len(gone)} events or matches, all rows are there"
    return Outcome(
        happens, seen if seen != "—" else f"`kaicep verify`: {_plain(work, _said(found))}", "`kaicep repair`", fault
    )


def _said(found: Health) -> str:
    return "; ".join([*found.log_faults, *found.store_faults][:1])


def _difference(base: Path, work: Path) -> tuple[Counter[str], Counter[str], set[str]]:
    """Rows that are lost, rows that are there again (but calls that had been given up), events that are lost."""
    expected = json.loads((base / "expected.json").read_text())
    rows, events = answer(work)
    again = rows - Counter(expected["rows"]) - Counter(_given_up(base))
    return Counter(expected["rows"]) - rows, again, set(expected["events"]) - events


def _given_up(base: Path) -> list[str]:
    """The calls that were dead letters when the first engine ended."""
    found = FailedCalls(base / "var/state/outbox/failed.jsonl").calls()
    return [f"call {call.action} {call.rule} {call.id} {call.arguments}" for call in found]


def expect(base: Path, work: Path) -> None:
    """Keep what an undisturbed run comes to, and says."""
    renewed(base, work)
    said = _run(work)
    rows, events = answer(work)
    (base / "expected.json").write_text(json.dumps({"rows": rows, "events": sorted(events), "said": said}))


_WAYS: Sequence[tuple[str, Callable[[Path, Path, Path], object]]] = (
    ("restore it from a (copy|backup)", lambda base, work, path: shutil.copyfile(base / path.relative_to(work), path)),
    (r'write \{"format": \d+\}', lambda base, work, path: shutil.copyfile(base / path.relative_to(work), path)),
    ("remove it", lambda base, work, path: path.unlink()),
)


def _followed(base: Path, work: Path, path: Path, error: KaicepError) -> Outcome:
    """Do what a refusal says."""
    seen, place = _plain(work, str(error)), None if error.place is None else Path(error.place.source)
    way = next((do for words, do in _WAYS if re.search(words, error.hint or "")), None)
    if way is None or place is None:
        return Outcome("refuses", seen, fault=f"no way out: {error}")
    way(base, work, place)
    try:
        found = _started(base, work, _run(work))
    except KaicepError as again:
        return Outcome("refuses", seen, fault=f"what it says does not help: {again}")
    return Outcome("does not start", seen, f"{error.hint}", found.fault)


def _plain(work: Path, text: str) -> str:
    """A text without what is another each time."""
    text = text.replace(f"{work}/", "").replace(str(work), ".").replace("\n", " ")
    for pattern, instead in _VARYING:
        text = re.sub(pattern, instead, text)
    return re.sub(r"\s+", " ", text)


_VARYING = (
    (r"[0-9a-f]{64}", "…"),
    (r"[0-9a-f]{32}", "…"),
    (r"(MANIFEST-|store/)\d{6}", r"\1…"),
    (r"stored = \d+, computed = \d+", "…"),
    (r"(expected|system|offset|size|type =) \d+", r"\1 …"),
    (r"While (lock|open|read|append)ing? .*?: ", ""),
)


def table(rows: Sequence[tuple[Kind, str, Outcome]]) -> str:
    """The outcomes in Markdown; damages of a kind that come to the same are one row."""
    same: dict[tuple[str, str, str, str], list[str]] = {}
    for kind, damage, found in rows:
        key = (kind.name, found.happens, _shape(found.seen), _shape(found.done))
        same.setdefault(key, []).append(damage)
    lines = ["| file | damage | what happens | what is seen | what to do |", "|---|---|---|---|---|"]
    lines += [f"| {n} | {', '.join(d)} | {h} | {s} | {w} |" for (n, h, s, w), d in same.items()]
    return "\n".join(lines)


def _shape(text: str) -> str:
    """A message of which what differs between damages is left out."""
    text = re.sub(
        r"(is broken|cannot be used|cannot be read): .*?(; it lies|: move|: restore|: an engine|$)", r"\1: …\2", text
    )
    return text.replace("|", "\\|").replace("<", "&lt;")
