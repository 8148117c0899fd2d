"""Engines without Spark that lose the state of their operators, over and over; their rows are as if they never had."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from kaicep.archive import Archive
from kaicep.pipeline.durability.checkpoint import Checkpoint
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.simulation.outage_simulation import RowConsumer
from kaicep.pipeline.sinks.row_values import rows
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch

from .cases import Case
from .engines import project_of
from .tuples import Batch, batches

__all__ = ["Loss", "answer_with_losses", "losses", "stretched"]


@dataclass(frozen=True)
class Loss:
    """The state is gone before a batch.

    Attributes:
        before: its place.
        torn: the batch was begun by then: its events are in the log, its rows with nobody.
        waiting: the engine waits for queries that catch up.
    """

    before: int
    torn: bool
    waiting: bool


class _KilledError(BaseException):
    pass


def stretched(case: Case, times: int, apart: timedelta) -> Case:
    """The same streams several times, one after the other, each event another one."""
    streams = {
        name: [_later(row, n * apart, n) for n in range(times) for row in tuples]
        for name, tuples in case.streams.items()
    }
    return replace(case, streams=streams)


def _later(row: Mapping[str, Any], by: timedelta, number: int) -> dict[str, Any]:
    moment = datetime.fromisoformat(row["timestamp"]) + by
    text = moment.isoformat()
    written = text.replace("+00:00", "Z") if row["timestamp"].endswith("Z") else text
    return {**row, "timestamp": written} | ({} if row.get("note") is None else {"note": f"{row['note']}{number or ''}"})


@st.composite
def losses(draw: st.DrawFn, case: Case) -> tuple[Sequence[Batch], Sequence[Loss]]:
    """A case cut into batches, and when the state is lost."""
    cut = draw(batches(case.streams), label="batches")
    assume(len(cut) > 1)
    places = sorted(draw(st.sets(st.integers(1, len(cut) - 1), min_size=1, max_size=3), label="lost before"))
    return cut, [Loss(place, draw(st.booleans()), draw(st.booleans())) for place in places]


def answer_with_losses(
    case: Case, cut: Sequence[Batch], lost: Sequence[Loss], folder: Path
) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the last query, and what the engines said."""
    engines = _Engines(case, cut, folder)
    first = 0
    for loss in [*lost, Loss(len(cut), torn=False, waiting=True)]:
        engines.run(first, loss)
        shutil.rmtree(folder / "state" / "snapshots")
        first = loss.before
    return [row for table in engines.consumer.tables for row in rows(table)], engines.said


class _Engines:
    """One engine after the other over the same batches; each finds no state."""

    def __init__(self, case: Case, cut: Sequence[Batch], folder: Path) -> None:
        self._project, self._text, self._cut, self._folder = project_of(case.campus.seed), case.text, cut, folder
        self.consumer = RowConsumer(self._project.registrations(case.text, "asked")[-1].label)
        self.said: list[str] = []

    def run(self, first: int, loss: Loss) -> None:
        """One engine from a batch to the loss; the last one ends the streams."""
        settings, folder = self._project.settings, self._folder
        chosen = {"path": str(folder / "archive"), "store": False, "enabled": True}
        archived = settings.model_copy(update={"archive": settings.archive.model_copy(update=chosen)})
        never = dict.fromkeys(settings.streams, timedelta.max)
        idle = None if loss.waiting else IdleStreams(never, lambda: 0.0)
        with Archive(archived, self._project.knowledge, self._project.shapes) as archive:
            flow = CheckpointedFlow(self._project, folder / "state", [self.consumer], archive, say=self.said.append)
            try:
                flow.queries.submit(self._project.registrations(self._text, "asked"))
                for number in range(first, loss.before):
                    flow.run(number + 1, self._records(number), idle)
                if loss.before == len(self._cut):
                    flow.finish()
                elif loss.torn:
                    self._kill(flow, loss.before, idle)
            finally:
                flow.close()

    def _kill(self, flow: CheckpointedFlow, number: int, idle: IdleStreams | None) -> None:
        """Begin a batch; its events come into the log, its rows to the sinks, and nobody notes that."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Checkpoint, "_keep", _killed)
            with suppress(_KilledError):
                flow.run(number + 1, self._records(number), idle)

    def _records(self, number: int) -> dict[str, RawBatch]:
        return {name: RawBatch(raw_table(tuples)) for name, tuples in self._cut[number].items()}


def _killed(*_: object) -> None:
    raise _KilledError
