"""Candidates as they arrive, to what the watermark has passed: a reorder buffer per variable of a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from ..expressions import Ints, frame_of
from ..language.nodes import Query, Source
from .kernel_table import stop_candidates
from .match import CommonSteps
from .order import EVENTS, OF_WINDOW, Contiguity, empty_candidates, sees_all_events
from .partitions import CONTEXT_WINDOWS, WINDOW_COLUMN, PartitionWindows, is_windowed, reserved_types
from .reorder_buffer import ReorderBuffer
from .snapshot_codec import OperatorState

__all__ = ["CandidateRelease", "conform"]

Candidates = Mapping[str, pa.Table | pl.DataFrame]


class _Released(NamedTuple):
    """What several were given at once.

    Attributes:
        released: by variable, what the watermark has passed.
        held: what waits now.
        before: what waited; as long as this is here, nothing else is the same object.
    """

    released: Mapping[str, pl.DataFrame]
    held: Mapping[str, pl.DataFrame]
    before: Mapping[str, pl.DataFrame]


class CandidateRelease:
    """The reorder buffers of a query, and the numbers of its events where their neighbourhood counts.

    Attributes:
        pending: by variable, what waits.
        contiguity: of a query that sees all events, which lie side by side.

    Args:
        query: the query.
        windows: of a query in contexts, what is known of their windows.
    """

    def __init__(self, query: Query, windows: PartitionWindows | None) -> None:
        self._query, self._windows = query, windows
        windowed = is_windowed(query)
        self.contiguity = Contiguity(query) if sees_all_events(query) else None
        self.pending = {source.variable: _pending(source) for source in query.sources}
        of_event = (WINDOW_COLUMN,) if windowed else ()
        self.pending |= {name: ReorderBuffer(empty, of_event) for name, empty in stop_candidates(query).items()}
        if self.contiguity is not None:
            self.pending[EVENTS] = ReorderBuffer(self.contiguity.empty, (OF_WINDOW,) if windowed else ())

    @property
    def due(self) -> int | None:
        """The watermark (microseconds) that lets the first candidate go; `None`: none waits."""
        moments = [pending.due for pending in self.pending.values() if pending.held.height]
        return min((moment for moment in moments if moment is not None), default=None)

    def last_of(self, key: tuple[object, ...]) -> int:
        """The number of the last event of a partition."""
        if self.contiguity is None:
            return -1
        return self.contiguity.last_of(key[:-1] if self._query.partition_by else ())

    def released(self, candidates: Candidates, passed: int) -> dict[str, pl.DataFrame]:
        """What the watermark has passed, in total order."""
        if self._windows is not None:
            self._windows.update(_told(candidates))
        return self._passed(candidates, passed)

    def given(self, candidates: Candidates, passed: int, steps: CommonSteps) -> dict[str, pl.DataFrame]:
        """The same of what several are given: where what waits is the same, it is looked at once."""
        if self._windows is None:
            return self.released(candidates, passed)
        self._windows.update(_told(candidates))
        before = {name: pending.held for name, pending in self.pending.items()}

        def release() -> _Released:
            released = self._passed(candidates, passed)
            return _Released(released, {name: pending.held for name, pending in self.pending.items()}, before)

        found = steps.once(("released", *(id(held) if held.height else 0 for held in before.values())), release)
        for name, pending in self.pending.items():
            pending.held = found.held[name]
        return dict(found.released)

    def _passed(self, candidates: Candidates, passed: int) -> dict[str, pl.DataFrame]:
        released = {}
        for variable, pending in self.pending.items():
            table = candidates.get(variable)
            arrived = pending.held.clear() if table is None else conform(table, pending.held)
            released[variable] = pending.release(arrived, passed)
        return released if self.contiguity is None else self.contiguity.place(released)

    def forget(self, passed: int, awaited: Ints, oldest: int | None) -> None:
        """Forget what no later match can need.

        Args:
            passed: the watermark, in microseconds.
            awaited: see `Kernel.awaited`.
            oldest: see `Kernel.oldest`.
        """
        if self.contiguity is not None:
            self.contiguity.forget(passed, awaited)
        if self._windows is not None:
            self._retire(self._windows, passed, oldest)

    def _retire(self, windows: PartitionWindows, passed: int, oldest: int | None) -> None:
        """Forget the context windows that have ended and that nothing lies in any more."""
        if self.contiguity is not None and is_windowed(self._query):
            self.contiguity.retire(windows.ended(passed))
        windows.forget(passed if oldest is None else min(passed, oldest))
        windows.passed = passed

    def tables(self) -> dict[str, pl.DataFrame]:
        """What it holds."""
        held = {f"pending.{variable}": pending.held for variable, pending in self.pending.items()}
        return held | ({} if self.contiguity is None else {"contiguity": self.contiguity.last})

    def join(self, other: CandidateRelease) -> None:
        """Hold also what waits in another one of the same query, whose events have no numbers."""
        for variable, pending in self.pending.items():
            pending.held = pl.concat([pending.held, other.pending[variable].held])

    @property
    def following(self) -> int | None:
        """The number of the next event; `None`: events have none."""
        return None if self.contiguity is None else self.contiguity.next

    def load(self, state: OperatorState) -> None:
        """Go on from what `tables` and `following` said."""
        for variable, pending in self.pending.items():
            pending.held = state.tables[f"pending.{variable}"]
        if self.contiguity is not None:
            self.contiguity.last, self.contiguity.next = state.tables["contiguity"], state.numbers["contiguity"] or 0


def _pending(source: Source) -> ReorderBuffer:
    bindings = sorted({f"?{name}" for name, _ in source.bindings} & set(source.columns))
    window = sorted(reserved_types(source.columns))
    return ReorderBuffer(empty_candidates(source), (*window, *bindings))


def _told(candidates: Candidates) -> pa.Table | None:
    """What is told of windows of contexts."""
    found = candidates.get(CONTEXT_WINDOWS)
    return found.to_arrow() if isinstance(found, pl.DataFrame) else found


def conform(found: pa.Table | pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    """Candidates with the columns and types of others."""
    if not isinstance(found, pl.DataFrame):
        frame = frame_of(found, like.columns)
    else:
        frame = found if found.columns == like.columns else found[like.columns]  # a query plan would cost more
    return frame if frame.dtypes == like.dtypes else frame.cast(like.schema)
