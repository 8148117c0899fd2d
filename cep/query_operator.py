"""The operator of a query: its kernel between the reorder buffers and the rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, cast

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import OperatorError
from ..expressions import frame_of, micros, moment_of
from ..language.nodes import AfterMatchKind, Kind, Query, Source
from .joins import PatternKernel
from .kernel_table import build_kernel, stop_candidates
from .limits import Ceilings, Limits
from .match import CommonSteps
from .match_pieces import found_in_pieces
from .operator import END_OF_TIME, Operator
from .operator_core import Kernel
from .order import EVENTS, OF_WINDOW, Contiguity, Interval, empty_candidates, sees_all_events
from .output import (
    ROWS_AT_ONCE,
    DistinctRows,
    MatchFrame,
    OutputRate,
    RowCounts,
    RowOutput,
    build_output_rate,
    in_pieces,
    output_schema,
    row_schema,
)
from .partitions import (
    CONTEXT_WINDOWS,
    WINDOW_COLUMN,
    PartitionWindows,
    is_shared,
    is_windowed,
    partitioned_by_window,
    reserved_types,
)
from .query_state import HeldState, held_by_windows, in_sliding_windows
from .reorder_buffer import ReorderBuffer
from .selection import SelectionKernel
from .settled_query import settled_query
from .snapshot_codec import OperatorState, digest_of, read_snapshot, write_snapshot
from .windows import AggregationKernel

if TYPE_CHECKING:
    from .nfa import NfaOperator

__all__ = ["QueryOperator", "build_operator"]

_END = 2**62  # above every time stamp and window's end, in microseconds


def build_operator(
    query: Query, within: Interval | None = None, limits: Limits | None = None, *, watched: bool = False
) -> Operator:
    """The operator that answers a checked query.

    Args:
        query: the query.
        within: the moments of WITHIN, which candidates keep to anyway; by default all.
        limits: how much the query may take.
        watched: whether its state is asked for: it is a `watched_query`.

    Raises:
        OperatorError: the query uses a construct that operators do not run.
        CeilingError: its pattern or its window is too large to be compiled.
    """
    most, whole = limits or Limits(), partitioned_by_window(settled_query(query))
    windows = None if query.in_context is None else PartitionWindows()
    kernel = build_kernel(whole, within or Interval(), most, windows, watched=watched)
    return QueryOperator(whole, kernel, Ceilings(query, most), windows)


@dataclass(slots=True)
class QueryOperator:
    """A kernel behind a reorder buffer per variable, its matches made into rows, for DISTINCT, LIMIT and OUTPUT."""

    query: Query
    kernel: Kernel
    ceilings: Ceilings
    windows: PartitionWindows | None = None
    ended: bool = False
    reported: int = 0
    repeated: int = 0
    contiguity: Contiguity | None = field(init=False)
    pending: dict[str, ReorderBuffer] = field(init=False)
    output: RowOutput = field(init=False)
    chooses: bool = field(init=False)
    distinct: DistinctRows | None = field(init=False)
    rate: OutputRate | None = field(init=False)
    counted: RowCounts = field(default_factory=RowCounts)

    def __post_init__(self) -> None:
        self.contiguity = Contiguity(self.query) if sees_all_events(self.query) else None
        self.pending = {source.variable: _pending(source) for source in self.query.sources}
        of_event = (WINDOW_COLUMN,) if is_windowed(self.query) else ()
        self.pending |= {name: ReorderBuffer(empty, of_event) for name, empty in stop_candidates(self.query).items()}
        if self.contiguity is not None:
            of_window = (OF_WINDOW,) if is_windowed(self.query) else ()
            self.pending[EVENTS] = ReorderBuffer(self.contiguity.empty, of_window)
        self.output = RowOutput(self.query, self.kernel.names, self.windows)
        keeps_all = self.query.after_match.kind is AfterMatchKind.KEEP_ALL
        self.chooses = self.query.limit is not None or not keeps_all
        self.distinct = DistinctRows(self.query) if self.query.distinct else None
        self.rate = build_output_rate(self.query)

    @property
    def waiting(self) -> bool:
        """See `Operator.waiting`."""
        return not self.ended and (self.kernel.due is not None or self.held_since is not None)

    @property
    def due(self) -> datetime | None:
        """See `Operator.due`."""
        if self.ended:
            return None
        moments = [pending.due for pending in self.pending.values()]
        moments += [self.kernel.due, None if self.rate is None else self.rate.next_end]
        known = [moment for moment in moments if moment is not None]
        return moment_of(min(known)) if known else None

    @property
    def held_since(self) -> datetime | None:
        """See `Operator.held_since`."""
        held = [] if self.kernel.held_since is None else [moment_of(self.kernel.held_since)]
        if self.rate is not None and self.rate.held.num_rows:
            held.append(pc.min(self.rate.held["_time"]).as_py())
        return min(held, default=None)

    @property
    def counts(self) -> RowCounts:
        """See `Operator.counts`; what was found elsewhere is found, too."""
        asked = self.kernel.conditions if isinstance(self.kernel, PatternKernel) else ()
        found = self.kernel.considered - self.repeated
        return replace(self.counted, found=max(found, self.counted.standing), conditions=asked)

    @property
    def no_rows(self) -> pa.Table:
        """See `Operator.no_rows`."""
        return output_schema(self.query).empty_table()

    def process(self, candidates: Mapping[str, pa.Table], watermark: datetime | None) -> pa.Table:
        """See `Operator.process`."""
        return pa.concat_tables([self.no_rows, *self.pieces(candidates, watermark)])

    def pieces(
        self, candidates: Mapping[str, pa.Table], watermark: datetime | None, steps: CommonSteps | None = None
    ) -> Iterator[pa.Table]:
        """See `Operator.pieces`."""
        if self.ended:
            return
        passed = _microseconds(watermark)
        if steps is None or not isinstance(self.kernel, PatternKernel):
            yield from in_pieces(self._certain(self._released(candidates, passed), passed), ROWS_AT_ONCE)
            return
        self.kernel.take_part(steps)
        try:
            yield from in_pieces(self._certain(self._given(candidates, passed, steps), passed), ROWS_AT_ONCE)
        finally:
            self.kernel.take_part(None)

    def state(self, moment: datetime, query: Query) -> HeldState:
        """See `Operator.state`."""
        at = micros(moment)
        if self.ended or isinstance(self.kernel, SelectionKernel):
            return HeldState()
        if isinstance(self.kernel, AggregationKernel):
            return held_by_windows(query, self.kernel.kept, at)
        if isinstance(self.kernel, PatternKernel):
            raise OperatorError("the state of a query that is not watched", hint="build its operator as watched")
        held = cast("NfaOperator", self.kernel).prospects(at, self._last_of)
        return in_sliding_windows(query, HeldState(held.buffer.frames, held.rows, held.until), at)

    def _last_of(self, key: tuple[object, ...]) -> int:
        """The number of the last event of a partition."""
        if self.contiguity is None:
            return -1
        return self.contiguity.last_of(key[:-1] if self.query.partition_by else ())

    def end_at(self, moment: datetime | None) -> None:
        """See `Operator.end_at`."""
        if self.kernel.recurrence is not None and moment is not None:
            self.kernel.recurrence.end = micros(moment)

    def rest(self) -> None:
        """See `Operator.rest`."""
        if isinstance(self.kernel, PatternKernel):
            self.kernel.rest()

    def offer(self) -> tuple[Hashable, OperatorState] | None:
        """See `Operator.offer`."""
        return self.kernel.offer() if isinstance(self.kernel, PatternKernel) else None

    def _certain(self, released: Mapping[str, pl.DataFrame], passed: int) -> Iterator[pa.Table]:
        """The rows that become certain, as they are made."""
        handed, over = 0, lambda: self.ended
        found = found_in_pieces(self.query, self.kernel, released, passed, over, chooses=self.chooses)
        for matches, until in found:
            for rows in self._reported(matches, until):
                handed += rows.num_rows if self.query.kind is Kind.PATTERN else 0  # others bring no more than came in
                self.ceilings.check("rows_per_batch", handed)
                yield rows
        self._forget(passed)
        self.ceilings.check_time()

    def report(self, matches: MatchFrame, watermark: datetime | None) -> pa.Table:
        """See `Operator.report`."""
        if self.ended:
            return self.no_rows
        self.ceilings.check("matches_per_event", matches.densest)
        self.ceilings.check_batch(len(matches.time))
        nothing = self.no_rows
        return pa.concat_tables([nothing, *self._reported(matches, _microseconds(watermark))])

    def prime(self, candidates: Mapping[str, pa.Table], watermark: datetime | None) -> None:
        """See `Operator.prime`."""
        if not self.ended:
            passed = _microseconds(watermark)
            self.kernel.advance(self._released(candidates, passed), passed)
            self._forget(passed)

    def _released(self, candidates: Mapping[str, pa.Table], passed: int) -> dict[str, pl.DataFrame]:
        """What the watermark has passed, in total order."""
        if self.windows is not None:
            self.windows.update(candidates.get(CONTEXT_WINDOWS))
        return self._passed(candidates, passed)

    def _given(self, candidates: Mapping[str, pa.Table], passed: int, steps: CommonSteps) -> dict[str, pl.DataFrame]:
        """The same of what several are given: where nothing has waited, it is looked at once."""
        if self.windows is None or any(pending.held.height for pending in self.pending.values()):
            return self._released(candidates, passed)
        self.windows.update(candidates.get(CONTEXT_WINDOWS))

        def release() -> tuple[dict[str, pl.DataFrame], dict[str, pl.DataFrame]]:
            return self._passed(candidates, passed), {name: pending.held for name, pending in self.pending.items()}

        released, held = steps.once("released", release)
        for name, pending in self.pending.items():
            pending.held = held[name]
        return dict(released)

    def _passed(self, candidates: Mapping[str, pa.Table], passed: int) -> dict[str, pl.DataFrame]:
        released = {}
        for variable, pending in self.pending.items():
            table = candidates.get(variable)
            arrived = pending.held.clear() if table is None else _conform(table, pending.held)
            released[variable] = pending.release(arrived, passed)
        return released if self.contiguity is None else self.contiguity.place(released)

    def _forget(self, passed: int) -> None:
        if self.contiguity is not None:
            self.contiguity.forget(passed, self.kernel.awaited)
        if self.windows is not None:
            self._retire(self.windows, passed)

    def _retire(self, windows: PartitionWindows, passed: int) -> None:
        """Forget the context windows that have ended and that nothing lies in any more."""
        if self.contiguity is not None and is_windowed(self.query):
            self.contiguity.retire(windows.ended(passed))
        oldest = self.kernel.oldest
        windows.forget(passed if oldest is None else min(passed, oldest))
        windows.passed = passed

    def _reported(self, matches: MatchFrame | None, passed: int) -> Iterator[pa.Table]:
        """The rows of matches, as OUTPUT hands them over: without it as they are made."""
        self._count(0 if matches is None else len(matches.time))
        rows = iter(()) if matches is None else self._rows(matches)
        if self.rate is None:
            for piece in rows:
                self._count(rows=piece.num_rows, reported=piece.num_rows)
                yield piece
            return
        every = pa.concat_tables([row_schema(self.query).empty_table(), *rows])
        handed = self._handed_over(self.rate, every, passed)
        self._count(rows=every.num_rows, reported=handed.num_rows)
        yield handed

    def _rows(self, matches: MatchFrame) -> Iterator[pa.Table]:
        """The rows of matches, made so many at a time: LIMIT needs the first ones only."""
        size = ROWS_AT_ONCE
        if self.output.repeats:
            size = len(matches.time)
        elif self.query.limit is not None and self.distinct is None:
            size = min(size, self.query.limit - self.reported)
        for piece in matches.pieces(size):
            self.ceilings.check_time()
            rows = self.output.rows(piece)
            if self.distinct is not None:
                rows = self.distinct.first(rows)
                self.ceilings.check("distinct_rows", self.distinct.seen.height)
            yield self._limited(rows)
            if self.ended:
                return

    def _count(self, standing: int = 0, rows: int = 0, reported: int = 0) -> None:
        before = self.counted
        self.counted = replace(
            before,
            standing=before.standing + standing,
            rows=before.rows + rows,
            reported=before.reported + reported,
        )

    def _handed_over(self, rate: OutputRate, rows: pa.Table, watermark: int) -> pa.Table:
        held = self.kernel.held_since
        passed = watermark if held is None else min(watermark, held)
        due = rate.due(rows, passed, over=self.ended or watermark >= _END)
        return due.select(output_schema(self.query).names)

    def _limited(self, rows: pa.Table) -> pa.Table:
        if self.query.limit is None:
            return rows
        rows = rows.slice(0, self.query.limit - self.reported)
        self.reported += rows.num_rows
        self.ended = self.reported >= self.query.limit
        return rows

    def snapshot(self) -> bytes:
        """See `Operator.snapshot`."""
        return write_snapshot(self.query, self._state())

    def restore(self, data: bytes) -> None:
        """See `Operator.restore`."""
        self._load(read_snapshot(self.query, data))
        if isinstance(self.kernel, PatternKernel) and is_shared(self.query) and not self.ended:
            self.kernel.stand(digest_of(self.kernel.state()))

    def mark(self) -> object:
        """See `Operator.mark`."""
        return self._state(), self.counted, self.kernel.considered - self.repeated

    def rewind(self, mark: object) -> None:
        """See `Operator.rewind`."""
        state, self.counted, considered = cast("tuple[OperatorState, RowCounts, int]", mark)
        self.repeated = self.kernel.considered - considered
        self._load(state)

    def _state(self) -> OperatorState:
        inner = self.kernel.state()
        held = {f"pending.{variable}": pending.held for variable, pending in self.pending.items()}
        seen = {} if self.distinct is None else {"distinct": self.distinct.seen}
        rate = {} if self.rate is None else self.rate.tables()
        last = {} if self.contiguity is None else {"contiguity": self.contiguity.last}
        contexts = {} if self.windows is None else self.windows.tables()
        tables = {} if self.ended else {**held, **inner.tables, **seen, **rate, **last, **contexts}
        following = None if self.contiguity is None else self.contiguity.next
        numbers = {**inner.numbers, "reported": self.reported, "contiguity": following}
        numbers |= {} if self.windows is None else {"contexts": self.windows.passed}
        return OperatorState(tables, numbers)

    def _load(self, state: OperatorState) -> None:
        self.reported = state.numbers["reported"] or 0
        self.ended = self.query.limit is not None and self.reported >= self.query.limit
        if self.ended:
            return
        for variable, pending in self.pending.items():
            pending.held = state.tables[f"pending.{variable}"]
        if self.windows is not None:
            self.windows.load(state.tables, state.numbers.get("contexts"))
        self.kernel.load(state)
        if self.contiguity is not None:
            self.contiguity.last, self.contiguity.next = state.tables["contiguity"], state.numbers["contiguity"] or 0
        if self.distinct is not None:
            self.distinct.seen = state.tables["distinct"]
        if self.rate is not None:
            self.rate.load(state.tables)


def _pending(source: Source) -> ReorderBuffer:
    bindings = sorted({f"?{name}" for name, _ in source.bindings} & set(source.columns))
    window = sorted(reserved_types(source.columns))
    return ReorderBuffer(empty_candidates(source), (*window, *bindings))


def _conform(table: pa.Table, like: pl.DataFrame) -> pl.DataFrame:
    frame = frame_of(table, like.columns)
    return frame if frame.schema == like.schema else frame.cast(like.schema)


def _microseconds(watermark: datetime | None) -> int:
    if watermark is None:
        return -_END
    if watermark.tzinfo is None:
        raise OperatorError("the watermark has no time zone", hint="pass an aware datetime")
    return _END if watermark >= END_OF_TIME else micros(watermark)
