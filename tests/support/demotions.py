"""Engines without Spark whose queries wait, are parked and come back at random batches, over kills."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from kaicep import PipelineError, Project
from kaicep.archive import Archive
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.durability.checkpoint import Checkpoint
from kaicep.pipeline.flow import IdleStreams
from kaicep.pipeline.flow.rules import by_time, shown_calls
from kaicep.pipeline.simulation.outage_simulation import RowConsumer
from kaicep.pipeline.sinks.row_values import rows
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch

from .tuples import Batch

__all__ = ["Answer", "answer_with_demotions"]


@dataclass(frozen=True)
class Answer:
    """What the engines have given.

    Attributes:
        rows: of the last query.
        calls: of rules, by time.
        said: lines of the log.
        waited: how often a query was sent to wait.
        parked: how often one was parked.
    """

    rows: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    said: list[str]

    @property
    def waited(self) -> int:
        return sum("is behind since" in line for line in self.said)

    @property
    def parked(self) -> int:
        return sum("was parked by Ada" in line for line in self.said)


def answer_with_demotions(
    project: Project, text: str, cut: Sequence[Batch], rng: Random, folder: Path, *, parks: bool = False
) -> Answer:
    """The answer to a stream in batches; the last one brings back who waits.

    Args:
        project: of the streams.
        text: the document.
        cut: the streams in batches.
        rng: says who waits when, who comes back, and when another engine goes on.
        folder: of the engines.
        parks: whether somebody parks and resumes queries as well; in the end all go on.
    """
    engines = _Engines(project, text, folder)
    engines.start()
    for number, batch in enumerate(cut, 1):
        if number > 1 and rng.random() < 0.2:
            engines.close()
            engines.start()
        for label in engines.labels:
            if rng.random() < 0.3:
                engines.flow.queries.demotion.send(label)
            if rng.random() < 0.3:
                engines.flow.queries.demotion.call(label)
            if parks:
                engines.park_or_resume(label, rng)
        if rng.random() < 0.15:
            engines.kill_in(number, batch)
        engines.run(number, batch)
    if parks:
        engines.resume_all()
    if engines.has_rules or rng.random() < 0.5:  # the end of streams calls nothing that is durable
        engines.run(len(cut) + 1, {}, once=True)
    counted = sum(done.get("calls", 0) for done in engines.flow.progress.rules.values())
    made = sum(table.num_rows for table in engines.calls.values())
    assert counted == made, f"{counted} calls are counted instead of {made}: {engines.said}"
    last = engines.flow.finish().calls
    assert not list(engines.flow.queries.parked), engines.said
    engines.close()
    found = [row for table in engines.consumer.tables for row in rows(table)]
    return Answer(found, shown_calls(by_time([*engines.calls.values(), last])), engines.said)


class _KilledError(BaseException):
    pass


def _killed(*_: object) -> None:
    raise _KilledError


class _Engines:
    """One engine after the other over the same folder; whoever takes rows and calls outlives them."""

    def __init__(self, project: Project, text: str, folder: Path) -> None:
        self._project, self._text, self._folder = project, text, folder
        registrations = project.registrations(text, "asked")
        self.labels = [registration.label for registration in registrations]
        self.has_rules = any(registration.query.rule is not None for registration in registrations)
        self.consumer, self.said = RowConsumer(self.labels[-1]), list[str]()
        self.calls: dict[int, pa.Table] = {}
        self._idle = IdleStreams(dict.fromkeys(project.settings.streams, timedelta.max), lambda: 0.0)

    def put(self, batch: int, calls: pa.Table) -> None:
        """Keep the calls of a batch."""
        self.calls[batch] = calls

    def release(self, batch: int) -> None:
        """Nothing goes out."""

    def end(self) -> None:
        """Nothing does then either."""

    def start(self) -> None:
        chosen = {"path": str(self._folder / "archive"), "store": False, "enabled": True}
        settings = self._project.settings
        archived = settings.model_copy(update={"archive": settings.archive.model_copy(update=chosen)})
        self._archive = Archive(archived, self._project.knowledge, self._project.shapes)
        self.flow = CheckpointedFlow(
            self._project, self._folder / "state", [self.consumer], self._archive, say=self.said.append, outbox=self
        )
        self.flow.queries.submit(self._project.registrations(self._text, "asked"))

    def park_or_resume(self, label: str, rng: Random) -> None:
        """Neither, mostly."""
        chosen = rng.random()
        with suppress(PipelineError):  # it is parked already, or not
            if chosen < 0.2:
                self.flow.queries.park(label, "Ada")
            elif chosen < 0.5:
                self.flow.queries.resume(label)

    def resume_all(self) -> None:
        """Let all go on that are parked, or are to be."""
        for label in self.labels:
            with suppress(PipelineError):
                self.flow.queries.resume(label)

    def close(self) -> None:
        self.flow.close()
        self._archive.close()

    def kill_in(self, number: int, batch: Batch) -> None:
        """Begin a batch: its events are in the log, its rows with the sinks, and nobody notes that; another goes on."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Checkpoint, "_keep", _killed)
            with suppress(_KilledError):
                self.run(number, batch)
        self.close()
        self.start()

    def run(self, number: int, batch: Batch, *, once: bool = False) -> None:
        """A batch; `once`: as `run --once` does it, which nobody waits for."""
        records = {name: RawBatch(raw_table(tuples)) for name, tuples in batch.items()}
        self.flow.run(number, records, None if once else self._idle)
