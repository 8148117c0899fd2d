"""An engine without Spark over two streams, with clocks that go as a test says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sinks.row_values import rows
from kaicep.pipeline.sinks.sink import Sink
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch

from .clock import Clock

__all__ = ["COUNT", "PAIRS", "START", "Station", "counts", "project_of"]

START = datetime(2026, 3, 1, tzinfo=UTC)
COUNT = "SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 10s)"
PAIRS = "SELECT ?a.x AS x FROM (?a, air), (?d, door) JOIN (?a.x = ?d.x) WINDOW (?a, ?d, 1min)"


def project_of(folder: Path, *, archive: bool = True, **streams: Mapping[str, Any]) -> Project:
    """Two streams of the same events; what else is said of each."""
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "identity": ["x", "t"],
        "attributes": {"x": {"datatype": "xsd:integer"}},
    }
    content = {
        "streams": {name: stream | dict(streams.get(name, {})) for name in ("air", "door")},
        "archive": {"enabled": archive, "store": False},
    }
    return Project.parse(content, root=folder)


class Station:
    """An engine without Spark: batches are numbered and durable, the clock goes as the test says."""

    def __init__(
        self,
        folder: Path,
        *queries: str,
        archive: bool = True,
        sinks: Sequence[Sink] = (),
        **streams: Mapping[str, Any],
    ) -> None:
        self._sinks = sinks
        self.clock = Clock()
        self.wall: datetime | None = None
        self.folder = folder
        self._queries = queries
        self.project = project_of(folder, archive=archive, **streams)
        self._open = ExitStack()
        self.said: list[str] = []
        self.start()

    def start(self) -> None:
        """A process begins, with the state that the folder holds."""
        project, archive = self.project, None
        if project.settings.archive.enabled:
            shapes = project.shapes
            archive = self._open.enter_context(Archive(project.settings, project.knowledge, shapes))
        self.flow = CheckpointedFlow(project, self.folder / "state", self._sinks, archive, say=self.said.append)
        self._open.callback(self.flow.close)
        self.idleness = IdleStreams(project.settings.idle_timeouts(), self.clock)
        for number, text in enumerate(self._queries):
            self.submit(text, f"q{number}")

    def stop(self) -> None:
        self._open.close()

    def submit(self, text: str, label: str) -> None:
        self.flow.queries.submit(self.project.registrations(text, label))

    def deliver(self, batch: int | None = None, /, **seconds: Sequence[float]) -> dict[str, list[dict[str, Any]]]:
        """One batch, by default the next; its events by stream, by their seconds; the rows by query."""
        raw = {
            name: RawBatch(
                raw_table([{"t": (START + timedelta(seconds=s)).isoformat(), "x": int(s)} for s in of_stream])
            )
            for name, of_stream in seconds.items()
        }
        step = self.flow.run((self.flow.last or 0) + 1 if batch is None else batch, raw, self.idleness, self.wall)
        return {label: rows(table) for label, table in step.matches.items()}

    def beat(self, seconds: float) -> dict[str, list[dict[str, Any]]]:
        """Let time pass; a batch without records where one is needed."""
        self.clock.seconds += seconds
        return self.deliver() if self.flow.overdue(self.idleness) else {}

    @property
    def watermarks(self) -> dict[str, float | None]:
        """In seconds."""
        found = self.flow.dataflow.watermarks
        return {name: None if w is None else (w - START).total_seconds() for name, w in found.items()}


def counts(found: Mapping[str, list[dict[str, Any]]], label: str = "q0") -> list[int]:
    return [row["n"] for row in found.get(label, [])]
