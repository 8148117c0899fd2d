"""The operator of a query: its kernel between the reorder buffers and the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import CeilingError, OperatorError
from ..expressions import frame_of, micros, moment_of, pieces_of
from ..language.nodes import AfterMatchKind, Query, Source
from .joins import PatternKernel
from .kernel_table import build_kernel, stop_candidates
from .limits import Ceilings, Limits
from .operator import END_OF_TIME, Operator
from .operator_core import Kernel
from .order import EVENTS, Contiguity, Interval, empty_candidates, sees_all_events
from .output import (
    DistinctRows,
    MatchFrame,
    OutputRate,
    RowCounts,
    RowOutput,
    build_output_rate,
    output_schema,
    row_schema,
)
from .reorder_buffer import ReorderBuffer
from .settled_query import settled_query
from .snapshot_codec import OperatorState, read_snapshot, write_snapshot

__all__ = ["QueryOperator", "build_operator"]

_PIECES = (32, 1)
"""So many events are looked at together where those of a batch have too many matches."""

_ROWS = 2**17
"""So many rows are made at once."""

_END = 2**62  # above every time stamp and window's end, in microseconds


def build_operator(query: Query, within: Interval | None = None, limits: Limits | None = None) -> Operator:
    """The operator that answers a checked query.

    Args:
        query: the query.
        within: the moments of WITHIN, which candidates keep to anyway; by default all.
        limits: how much the query may take.

    Raises:
        OperatorError: the query uses a construct that operators do not run.
        CeilingError: its pattern or its window is too large to be compiled.
    """
    most, whole = limits or Limits(), settled_query(query)
    return QueryOperator(whole, build_kernel(whole, within or Interval(), most), Ceilings(query, most))


@dataclass(slots=True)
class QueryOperator:
    """A kernel behind a reorder buffer per variable, its matches made into rows, for DISTINCT, LIMIT and OUTPUT."""

    query: Query
    kernel: Kernel
    ceilings: Ceilings
    ended: bool = False
    reported: int = 0
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
        self.pending |= {name: ReorderBuffer(empty) for name, empty in stop_candidates(self.query).items()}
        if self.contiguity is not None:
            self.pending[EVENTS] = ReorderBuffer(self.contiguity.empty)
        self.output = RowOutput(self.query, self.kernel.names)
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
        return replace(self.counted, found=max(self.kernel.considered, self.counted.standing), conditions=asked)

    def process(self, candidates: Mapping[str, pa.Table], watermark: datetime | None) -> pa.Table:
        """See `Operator.process`."""
        if self.ended:
            return output_schema(self.query).empty_table()
        passed = _microseconds(watermark)
        rows = self._rows_of(self._released(candidates, passed), passed, _PIECES)
        self._forget(passed)
        self.ceilings.check_time()
        return rows

    def _rows_of(self, released: Mapping[str, pl.DataFrame], passed: int, pieces: Sequence[int]) -> pa.Table:
        """The rows that become true; where all matches at once are too many, those that stand piece by piece.

        AFTER MATCH and LIMIT may leave so few that later ones need not be found.
        """
        joins = self.kernel if self.chooses and isinstance(self.kernel, PatternKernel) else None
        before = None if joins is None or not pieces or not joins.may_exceed(released) else joins.state()
        try:
            return self._reported(self.kernel.advance(released, passed), passed)
        except CeilingError:
            if before is None:
                raise
        self.kernel.load(before)
        parts = [output_schema(self.query).empty_table()]
        for piece, until in pieces_of(released, passed, pieces[0]):
            if not self.ended:
                parts.append(self._rows_of(piece, until, pieces[1:]))
        return pa.concat_tables(parts)

    def report(self, matches: MatchFrame, watermark: datetime | None) -> pa.Table:
        """See `Operator.report`."""
        if self.ended:
            return output_schema(self.query).empty_table()
        self.ceilings.check("matches_per_event", matches.densest)
        self.ceilings.check_batch(len(matches.time))
        return self._reported(matches, _microseconds(watermark))

    def prime(self, candidates: Mapping[str, pa.Table], watermark: datetime | None) -> None:
        """See `Operator.prime`."""
        if not self.ended:
            passed = _microseconds(watermark)
            self.kernel.advance(self._released(candidates, passed), passed)
            self._forget(passed)

    def _released(self, candidates: Mapping[str, pa.Table], passed: int) -> dict[str, pl.DataFrame]:
        """What the watermark has passed, in total order."""
        released = {}
        for variable, pending in self.pending.items():
            table = candidates.get(variable)
            arrived = pending.held.clear() if table is None else _conform(table, pending.held)
            released[variable] = pending.release(arrived, passed)
        return released if self.contiguity is None else self.contiguity.place(released)

    def _forget(self, passed: int) -> None:
        if self.contiguity is not None:
            self.contiguity.forget(passed, self.kernel.awaited)

    def _reported(self, matches: MatchFrame | None, passed: int) -> pa.Table:
        if matches is None and self.rate is None:
            return output_schema(self.query).empty_table()
        rows = row_schema(self.query).empty_table() if matches is None else self._rows(matches)
        handed = self._handed_over(rows, passed)
        self._count(0 if matches is None else len(matches.time), rows.num_rows, handed.num_rows)
        return handed

    def _rows(self, matches: MatchFrame) -> pa.Table:
        """The rows of matches, made so many at a time: LIMIT may need the first ones only."""
        parts = []
        for piece in matches.pieces(len(matches.time) if self.output.repeats else _ROWS):
            self.ceilings.check_time()
            rows = self.output.rows(piece)
            if self.distinct is not None:
                rows = self.distinct.first(rows)
                self.ceilings.check("distinct_rows", self.distinct.seen.height)
            parts.append(self._limited(rows))
            if self.ended:
                break
        return pa.concat_tables(parts)

    def _count(self, standing: int, rows: int, reported: int) -> None:
        before = self.counted
        self.counted = replace(
            before,
            standing=before.standing + standing,
            rows=before.rows + rows,
            reported=before.reported + reported,
        )

    def _handed_over(self, rows: pa.Table, watermark: int) -> pa.Table:
        if self.rate is None:
            return rows
        held = self.kernel.held_since
        passed = watermark if held is None else min(watermark, held)
        due = self.rate.due(rows, passed, over=self.ended or watermark >= _END)
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
        inner = self.kernel.state()
        held = {f"pending.{variable}": pending.held for variable, pending in self.pending.items()}
        seen = {} if self.distinct is None else {"distinct": self.distinct.seen}
        rate = {} if self.rate is None else self.rate.tables()
        last = {} if self.contiguity is None else {"contiguity": self.contiguity.last}
        tables = {} if self.ended else {**held, **inner.tables, **seen, **rate, **last}
        following = None if self.contiguity is None else self.contiguity.next
        numbers = {**inner.numbers, "reported": self.reported, "contiguity": following}
        return write_snapshot(self.query, OperatorState(tables, numbers))

    def restore(self, data: bytes) -> None:
        """See `Operator.restore`."""
        state = read_snapshot(self.query, data)
        self.reported = state.numbers["reported"] or 0
        self.ended = self.query.limit is not None and self.reported >= self.query.limit
        if self.ended:
            return
        for variable, pending in self.pending.items():
            pending.held = state.tables[f"pending.{variable}"]
        self.kernel.load(state)
        if self.contiguity is not None:
            self.contiguity.last, self.contiguity.next = state.tables["contiguity"], state.numbers["contiguity"] or 0
        if self.distinct is not None:
            self.distinct.seen = state.tables["distinct"]
        if self.rate is not None:
            self.rate.load(state.tables)


def _pending(source: Source) -> ReorderBuffer:
    bindings = sorted({f"?{name}" for name, _ in source.bindings} & set(source.columns))
    return ReorderBuffer(empty_candidates(source), tuple(bindings))


def _conform(table: pa.Table, like: pl.DataFrame) -> pl.DataFrame:
    frame = frame_of(table, like.columns)
    return frame if frame.schema == like.schema else frame.cast(like.schema)


def _microseconds(watermark: datetime | None) -> int:
    if watermark is None:
        return -_END
    if watermark.tzinfo is None:
        raise OperatorError("the watermark has no time zone", hint="pass an aware datetime")
    return _END if watermark >= END_OF_TIME else micros(watermark)
