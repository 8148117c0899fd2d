"""An engine without Spark whose batches are files, hosted by the driver or by tasks: the same files give the same."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from kaicep.archive import Archive
from kaicep.archive.sync import Spool
from kaicep.config import Settings
from kaicep.pipeline.catalog import Catalog
from kaicep.pipeline.distribution.executor_hosting import ExecutorHosting
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.generations.checkpoint_generation import Generation
from kaicep.pipeline.durability.intake.batch_hosting import BatchHosting
from kaicep.pipeline.durability.journal.batch_journal import BatchFiles
from kaicep.pipeline.flow.batch_result import BatchResult
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sharding.sharded_flow import run_here
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sources.layouts import reshape
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from kaicep.pipeline.sources.source_table import source_streams
from kaicep.pipeline.sources.unreadable import arrived
from kaicep.storage import SharedFolder

from .sharded import split_anywhere

__all__ = ["BothHostings", "FilesEngine", "TasksHere", "catalog_in", "spark_notes", "written"]

RESTARTS = 0.3
ASKED_FOR = 0.5
"""The share of queries of which somebody asks for the rows that tasks find."""
BROKEN = 0.2
"""The share of streams and batches that have one record more, which is no event."""
Tuples = Sequence[Mapping[str, Any]]


class TasksHere:
    """Tasks in this process; each of them can be made to fail.

    Attributes:
        before: called before each task; what it raises ends the job.
    """

    parallelism = 2

    def __init__(self) -> None:
        self.before: Callable[[], None] = lambda: None

    def __call__(self, plan: Any, part: Any, work: Sequence[Any], folder: SharedFolder, name: str) -> list[Any]:
        """See `TaskRunner`."""
        found = []
        for one in work:
            self.before()
            found += run_here(plan, part, [one], folder, name)
        return found

    def begin(self) -> None:
        """There is nothing to get ready."""

    def cancel(self) -> None:
        """Nothing runs beside."""


def catalog_in(folder: Path, settings: Settings, knowledge: Catalog, log: str | None = None, **engine: Any) -> Catalog:
    """A project over knowledge that is there, whose streams have folders of files below a folder; its log may not."""
    content = settings.model_dump(exclude_unset=True)
    for name, stream in content["streams"].items():
        stream["source"] = {"format": "json", "path": f"in/{name}"}
    content |= {"archive": {"store": False, "log": log}, "engine": {**content.get("engine", {}), **engine}}
    return Catalog.of_knowledge(Settings.parse(content, root=folder), knowledge.knowledge)


def written(folder: Path, stream: str, number: int, rows: Tuples) -> Path:
    """A file of a stream; their times ascend."""
    path = folder / "in" / stream / f"{number:05}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return path


def spark_notes(checkpoint: Path, streams: Sequence[str], batch: int, files: Mapping[str, Sequence[Path]]) -> None:
    """What Spark notes of a batch before it delivers it."""
    for place, name in enumerate(streams):
        notes = checkpoint / "sources" / str(place)
        notes.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps({"path": f"file://{path}", "timestamp": 0, "batchId": batch}, separators=(",", ":"))
            for path in files[name]
        ]
        (notes / str(batch)).write_text("\n".join(["v1", *lines]), encoding="utf-8")
    offsets = checkpoint / "offsets"
    offsets.mkdir(parents=True, exist_ok=True)
    notes_of = [json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": 1_900_000_000_000})]
    notes_of += [json.dumps({"logOffset": batch}) for _ in streams]
    (offsets / str(batch)).write_text("\n".join(["v1", *notes_of]), encoding="utf-8")


class FilesEngine:
    """An engine without Spark.

    Args:
        folder: of its project.
        project: see `catalog_in`.
        registrations: its queries.
        tasks: that answer them; `None`: the driver does.
        collected: of which queries somebody asks for the rows of each batch.
        few: so many rows come to the driver, if tasks answer.

    Attributes:
        said: lines of the log.
    """

    def __init__(
        self,
        folder: Path,
        project: Catalog,
        registrations: Sequence[Registration],
        tasks: TasksHere | None = None,
        *,
        collected: Callable[[str], bool] = lambda _: True,
        few: int = 0,
    ) -> None:
        self.folder, self.project, self.registrations, self.tasks = folder, project, registrations, tasks
        self.asks_for, self._few = collected, few
        self.said: list[str] = []
        self.generation = Generation(folder / "state" / "checkpoint", 1, folder / "heartbeats")
        self.start()

    def start(self) -> None:
        """A process begins, with the state that the folder holds."""
        self._open = ExitStack()
        self.archive = self._open.enter_context(
            Archive(self.project.settings, self.project.knowledge, self.project.shapes)
        )
        hosting: BatchHosting | None = None
        if (tasks := self.tasks) is not None:
            hosting = ExecutorHosting(self.project, self.archive, lambda: tasks, self.said.append)
            hosting.few = self._few
        self.rows = self.folder / "rows.jsonl"
        sinks = [self._open.enter_context(closing(JsonLinesSink(self.rows)))]  # its buffer goes with its process
        self.flow = CheckpointedFlow(
            self.project,
            self.folder / "var/state",
            sinks,
            self.archive,
            say=self.said.append,
            collected=self.asks_for,
            hosting=hosting,
        )
        self._open.callback(self.flow.close)
        self.flow.queries.submit(self.registrations)

    def stop(self) -> None:
        """The process ends; how, makes no difference to what is durable."""
        self._open.close()

    @property
    def next(self) -> int:
        """The batch that is delivered next."""
        return self.flow.done + 1

    def deliver(self, batch: int, idle: IdleStreams | None = None) -> BatchResult | None:
        """A batch, whose files Spark has noted."""
        return self.flow.deliver(batch, self.generation, self._read, idle)

    def note(self, batch: int, files: Mapping[str, Sequence[Path]]) -> None:
        """What Spark notes of a batch."""
        streams = [*self.project.settings.streams]
        spark_notes(self.generation.checkpoint, streams, batch - 1, {n: files.get(n, ()) for n in streams})

    def _read(self, files: BatchFiles) -> Mapping[str, RawBatch]:
        """The records of a batch, without Spark."""
        every = source_streams(self.project.settings)
        wanted = [name for name in every if files.only is None or name in files.only]
        paths = {name: arrived(files.listed.get(name, ()), files.passed_over.get(name, ())) for name in wanted}
        streams = self.project.settings.streams
        return {name: reshape(every[name].files(of), streams[name]) for name, of in paths.items() if of}

    def keep(self, rows: Mapping[str, Tuples]) -> None:
        """What an archiver does with records that come."""
        raw = {name: raw_table(list(of)) for name, of in rows.items() if of}
        spool = Spool(self.archive.path)
        spool.append({name: self.project.annotators[name].annotate(table).events for name, table in raw.items()})
        spool.close()

    @property
    def log(self) -> dict[str, list[dict[str, Any]]]:
        """What the log has, by stream, in order."""
        found = {}
        for stream in self.archive.log.streams():
            tables = [self.archive.log.batch_of(stream, place) for place in self.archive.log.positions()]
            found[stream] = [row for table in tables if table is not None for row in _sorted(table)]
        return found

    @property
    def found(self) -> dict[str, list[list[dict[str, Any]]]]:
        """What the log of matches has, by query and batch, in order."""
        log = self.archive.matches.log
        return {
            query: [_sorted(table) for place in log.positions() if (table := log.batch_of(query, place)) is not None]
            for query in log.streams()
        }

    @property
    def letters(self) -> dict[str, list[dict[str, Any]]]:
        """The dead letters, by stream."""
        found: dict[str, list[dict[str, Any]]] = {}
        for path in sorted((self.folder / "var/state/dead-letters").glob("*/*.jsonl")):
            text = path.read_text(encoding="utf-8").replace(str(self.folder), "")
            lines = [json.loads(line) for line in text.splitlines()]
            found.setdefault(path.parent.name, []).extend(lines)
        return found


class BothHostings:
    """The same files through an engine whose batches the driver answers, and one whose tasks do.

    Args:
        folder: for both.
        base: settings and knowledge.
        text: of the document.
        rng: says how batches are split into files, and when the processes end.
        logs: where the log of each is; `None`: in its folder.
        engine: more settings.

    Attributes:
        rows: how many there were.
    """

    def __init__(
        self,
        folder: Path,
        base: Catalog,
        text: str,
        rng: Random,
        logs: Sequence[str | None] = (None, None),
        **engine: Any,
    ) -> None:
        self._rng, self._number, self._files, self.rows = rng, 0, 0, 0
        self._others: TasksHere | None = None
        self.engines: list[FilesEngine] = []
        for name, tasks, log in zip(("driver", "tasks"), (None, TasksHere()), logs, strict=True):
            (folder / name).mkdir()
            project = catalog_in(folder / name, base.settings, base, log, **engine)
            queries = project.compile(text)
            named = [Registration(q, q.called or f"query-{place}") for place, q in enumerate(queries)]
            asked, few = partial(_collected, name, text), Random(text).choice((0, 3))
            self.engines.append(FilesEngine(folder / name, project, named, tasks, collected=asked, few=few))

    def take(self, batch: Mapping[str, Tuples], idle: Sequence[IdleStreams | None] = (None, None)) -> None:
        """A batch, in some files; now and then with a record that is no event."""
        self.note(batch)
        self.answer(idle)

    def answer(self, idle: Sequence[IdleStreams | None] = (None, None)) -> None:
        """Let both take the batch that is noted."""
        numbered = zip(self.engines, idle, strict=True)
        self._compare(*(engine.deliver(self._number, own) for engine, own in numbered))
        if self._rng.random() < RESTARTS:
            self.restart()

    def note(self, batch: Mapping[str, Tuples]) -> None:
        """Write the files of the next batch, and what Spark notes of them."""
        self._number += 1
        cut = split_anywhere(self._rng, batch)
        for several in cut.values():
            if self._rng.random() < BROKEN:
                several.append([{"timestamp": "soon", "t": "soon"}])
        for engine in self.engines:
            files = {
                name: [written(engine.folder, name, self._files + place, rows) for place, rows in enumerate(several)]
                for name, several in cut.items()
            }
            engine.note(self._number, files)
        self._files += max(map(len, cut.values()), default=0)

    def keep(self, batch: Mapping[str, Tuples]) -> None:
        """Let an archiver of each keep events that no engine is given."""
        for engine in self.engines:
            engine.keep(batch)

    def submit(self, text: str) -> None:
        """Register the queries of a document with the next batch."""
        for engine in self.engines:
            outputs = [one.query for one in engine.registrations]
            taken = [one.label for one in engine.registrations]
            new = engine.project.registrations(text, "query", outputs, taken=taken)
            engine.flow.queries.submit(new)
            engine.registrations = [*engine.registrations, *new]

    def withdraw(self, label: str) -> None:
        """Withdraw a query with the next batch."""
        for engine in self.engines:
            engine.flow.queries.withdraw(label, engine.flow.dataflow)
            engine.registrations = [one for one in engine.registrations if one.label != label]

    def stop(self) -> None:
        """Both processes end."""
        for engine in self.engines:
            engine.stop()

    def restart(self) -> None:
        """Both processes end, and others go on."""
        for engine in self.engines:
            engine.stop()
            engine.start()

    def lose(self) -> None:
        """Both processes end; of the one with tasks the states are gone, but those that the log gives again."""
        for engine in self.engines:
            engine.stop()
        for path in (self.engines[1].folder / "var/state/snapshots").iterdir():
            path.unlink()
        for engine in self.engines:
            engine.start()

    def swap(self) -> None:
        """Both processes end; the one with tasks goes on without, or the other way round."""
        for engine in self.engines:
            engine.stop()
        own = self.engines[1]
        self._others, own.tasks = own.tasks, self._others
        for engine in self.engines:
            engine.start()

    def end(self) -> None:
        """The streams end; whatever is durable is compared."""
        self._compare(*(engine.flow.finish() for engine in self.engines))
        driver, tasks = self.engines
        assert driver.log == tasks.log
        assert driver.letters == tasks.letters, (driver.letters, tasks.letters)
        assert lines_in(driver.rows) == lines_in(tasks.rows)
        assert rows_in(driver.rows) == rows_in(tasks.rows)
        assert driver.found == tasks.found
        one, other = driver.flow.progress, tasks.flow.progress
        assert one.streams == other.streams, (one.streams, other.streams)
        assert one.matches == other.matches
        assert one.rules == other.rules
        assert one.time == other.time
        self.stop()

    def _compare(self, driver: BatchResult | None, tasks: BatchResult | None) -> None:
        assert driver is not None
        assert tasks is not None
        own, other = driver.matches, tasks.matches
        assert {label for label, rows in own.items() if rows.num_rows} <= other.keys()
        asked = self.engines[1].asks_for
        for label, rows in own.items():
            if label in other and asked(label):
                assert list(map(repr, rows.to_pylist())) == list(map(repr, other[label].to_pylist())), label
                assert rows.schema == other[label].schema
            self.rows += rows.num_rows
        assert list(map(repr, driver.calls.to_pylist())) == list(map(repr, tasks.calls.to_pylist()))
        assert driver.watermarks == tasks.watermarks
        driver_flows, flows = (engine.flow.dataflow.flows for engine in self.engines)
        for label, flow in driver_flows.items():
            assert (label, flow.ending, flow.due) == (label, flows[label].ending, flows[label].due)


def _collected(engine: str, text: str, label: str) -> bool:
    """Whether somebody asks for the rows of a query: of the driver's always, of tasks' now and then."""
    return engine == "driver" or Random(f"{label} {text}").random() < ASKED_FOR


def rows_in(path: Path) -> dict[str, list[str]]:
    """The rows of each query, in their order."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        found.setdefault(json.loads(line)["_query"], []).append(line)
    return found


def lines_in(path: Path) -> list[str]:
    """Those of a file, in any order."""
    return sorted(path.read_text(encoding="utf-8").splitlines()) if path.exists() else []


def _sorted(table: pa.Table) -> list[dict[str, Any]]:
    """Rows, without what none of them has: a column that holds nothing may be missing."""
    return [{n: v for n, v in sorted(row.items()) if v is not None} for row in table.to_pylist()]
