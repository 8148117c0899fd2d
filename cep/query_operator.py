"""The operator of a query: its kernel between the reorder buffers and the rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, cast

import polars as pl
import pyarrow as pa

from ..errors import OperatorError
from ..expressions import micros, moment_of
from ..language.nodes import AfterMatchKind, Kind, Query
from .candidate_release import CandidateRelease
from .joins import LoosePatternKernel, PartialMatchJoin, PatternKernel, SharedPatternKernel
from .kernel_table import build_kernel
from .limits import Ceilings, Limits
from .match import AfterMatchSkip, CommonSteps
from .match_pieces import found_in_pieces
from .operator import END_OF_TIME
from .operator_core import Kernel
from .order import EventTable, Interval, SharedEvents
from .output import MatchFrame, RowCounts, RowReport, in_pieces, output_schema
from .partitions import PartitionWindows, key_columns, partitioned_by_window
from .query_state import HeldRows, HeldState, held_by_windows, in_context_windows, in_sliding_windows
from .selection import SelectionKernel
from .settled_query import settled_query
from .snapshot_codec import OperatorState, TakenState, digest_of, read_snapshot
from .windows import AggregationKernel

if TYPE_CHECKING:
    from .nfa import NfaOperator

__all__ = ["QueryOperator", "build_operator", "microseconds"]

_END = 2**62  # above every time stamp and window's end, in microseconds


def build_operator(
    query: Query, within: Interval | None = None, limits: Limits | None = None, *, watched: bool = False
) -> QueryOperator:
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


@dataclass
class QueryOperator:
    """A kernel behind a reorder buffer per variable, its matches made into rows, for DISTINCT, LIMIT and OUTPUT.

    Attributes:
        chooses: whether which rows there are depends on those before.
    """

    query: Query
    kernel: Kernel
    ceilings: Ceilings
    windows: PartitionWindows | None = None
    repeated: int = 0
    release: CandidateRelease = field(init=False)
    rows: RowReport = field(init=False)
    chooses: bool = field(init=False)

    def __post_init__(self) -> None:
        self.release = CandidateRelease(self.query, self.windows)
        self.rows = RowReport(self.query, self.kernel.names, self.windows, self.ceilings)
        keeps_all = self.query.after_match.kind is AfterMatchKind.KEEP_ALL
        self.chooses = self.query.limit is not None or not keeps_all

    @cached_property
    def no_rows(self) -> pa.Table:
        """See `Operator.no_rows`; made when it is first asked for, since Arrow loads pandas for it."""
        return output_schema(self.query).empty_table()

    @property
    def ended(self) -> bool:
        """See `Operator.ended`."""
        return self.rows.ended

    @property
    def waiting(self) -> bool:
        """See `Operator.waiting`."""
        return not self.ended and (self.kernel.due is not None or self.held_since is not None)

    @property
    def due(self) -> datetime | None:
        """See `Operator.due`."""
        if self.ended:
            return None
        moments = [self.release.due, self.kernel.due, self.rows.next_end]
        known = [moment for moment in moments if moment is not None]
        return moment_of(min(known)) if known else None

    @property
    def held_since(self) -> datetime | None:
        """See `Operator.held_since`."""
        held = [] if self.kernel.held_since is None else [moment_of(self.kernel.held_since)]
        first = self.rows.held_since
        return min([*held, *([] if first is None else [first])], default=None)

    @property
    def counts(self) -> RowCounts:
        """See `Operator.counts`; what was found elsewhere is found, too."""
        asked = self.kernel.conditions if isinstance(self.kernel, PatternKernel) else ()
        found = self.kernel.considered - self.repeated
        return replace(self.rows.counted, found=max(found, self.rows.counted.standing), conditions=asked)

    def process(self, candidates: Mapping[str, pa.Table | pl.DataFrame], watermark: datetime | None) -> pa.Table:
        """See `Operator.process`."""
        return pa.concat_tables([self.no_rows, *self.pieces(candidates, watermark)])

    def pieces(
        self,
        candidates: Mapping[str, pa.Table | pl.DataFrame],
        watermark: datetime | None,
        steps: CommonSteps | None = None,
    ) -> Iterator[pa.Table]:
        """See `Operator.pieces`."""
        if self.ended:
            return
        passed = microseconds(watermark)
        if steps is None or not isinstance(self.kernel, SharedPatternKernel | LoosePatternKernel):
            yield from in_pieces(self._certain(self.release.released(candidates, passed), passed))
            return
        self.kernel.take_part(steps)
        try:
            yield from in_pieces(self._certain(self.release.given(candidates, passed, steps), passed))
        finally:
            self.kernel.take_part(None)

    def ends_by(self, moment: datetime) -> bool:
        """See `Operator.ends_by`."""
        others = PatternKernel | AggregationKernel | SelectionKernel | PartialMatchJoin
        if self.ended or self.query.limit is None or isinstance(self.kernel, others):
            return self.ended
        certain = cast("NfaOperator", self.kernel).certain(micros(moment), self.release.last_of)
        return certain is not None and self.rows.ends_with(certain)

    def state(self, moment: datetime, query: Query) -> HeldState:
        """See `Operator.state`."""
        at = micros(moment)
        if self.ends_by(moment) or isinstance(self.kernel, SelectionKernel):
            return HeldState()
        if isinstance(self.kernel, AggregationKernel):
            kept = self.kernel.lasting(at)
            return held_by_windows(query, kept, at, self.kernel.group_of)
        if isinstance(self.kernel, PartialMatchJoin):
            return in_sliding_windows(query, self.kernel.held(at), at)
        held, skip = self._partial_matches(at)
        if self.windows is not None and key_columns(self.query):
            held = in_context_windows(self.query, self.windows, held, at, skip)
        return in_sliding_windows(query, held.in_columns(), at)

    def _partial_matches(self, moment: int) -> tuple[HeldRows, AfterMatchSkip | None]:
        """Those of a pattern, and what AFTER MATCH forbids by context window."""
        if not isinstance(self.kernel, PatternKernel):
            kernel = cast("NfaOperator", self.kernel)
            held, skip = kernel.prospects(moment, self.release.last_of)
            return HeldRows(held.buffer.frames, held.rows, held.until, held.inside), skip
        if not self.query.after_match.is_mode:
            raise OperatorError("the state of a query that is not watched", hint="build its operator as watched")
        return self.kernel.waiting(moment), None

    def end_at(self, moment: datetime | None) -> None:
        """See `Operator.end_at`."""
        if self.kernel.recurrence is not None and moment is not None:
            self.kernel.recurrence.end = micros(moment)

    def share(self, events: SharedEvents) -> None:
        """See `Operator.share`."""
        self.kernel.share(events)
        for pending in self.release.pending.values():
            pending.events = events

    def rest(self) -> None:
        """See `Operator.rest`."""
        if isinstance(self.kernel, SharedPatternKernel):
            self.kernel.rest()

    def offer(self) -> tuple[Hashable, object] | None:
        """See `Operator.offer`."""
        return self.kernel.offer() if isinstance(self.kernel, SharedPatternKernel) else None

    def _certain(self, released: Mapping[str, pl.DataFrame], passed: int) -> Iterator[pa.Table]:
        """The rows that become certain, as they are made."""
        handed, over = 0, lambda: self.ended
        found = found_in_pieces(self.query, self.kernel, released, passed, over, chooses=self.chooses)
        for matches, until in found:
            for rows in self.rows.rows(matches, until, self.kernel.held_since):
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
        return pa.concat_tables([nothing, *self.rows.rows(matches, microseconds(watermark), self.kernel.held_since)])

    def prime(self, candidates: Mapping[str, pa.Table | pl.DataFrame], watermark: datetime | None) -> None:
        """See `Operator.prime`."""
        if not self.ended:
            passed = microseconds(watermark)
            self.kernel.advance(self.release.released(candidates, passed), passed)
            self._forget(passed)

    def _forget(self, passed: int) -> None:
        if self.release.contiguity is not None or self.windows is not None:
            self.release.forget(passed, self.kernel.awaited, self.kernel.oldest)

    def snapshot(self) -> bytes:
        """See `Operator.snapshot`."""
        return self.taken().written()

    def taken(self) -> TakenState:
        """See `Operator.taken`."""
        return TakenState(self.query, self._state())

    def restore(self, data: bytes, events: Mapping[str, EventTable] | None = None) -> None:
        """See `Operator.restore`."""
        self._load(read_snapshot(self.query, data, events))
        if isinstance(self.kernel, SharedPatternKernel) and not self.ended:
            self.kernel.stand(digest_of(self.kernel.state()))
        if isinstance(self.kernel, LoosePatternKernel) and not self.ended:
            inner = self.kernel.state()
            self.kernel.stand(digest_of(OperatorState({**self.release.tables(), **inner.tables}, inner.numbers)))

    def join(self, other: QueryOperator) -> None:
        """Go on for another operator of the same selection too, which was given other candidates up to now.

        Raises:
            OperatorError: the query looks at several events together: what operators know of these is not put together.
        """
        if not isinstance(self.kernel, SelectionKernel) or self.query.in_context is not None:
            raise OperatorError("the states of two operators are put together only where each event counts by itself")
        self.release.join(other.release)
        self.rows.resume(self.rows.count + other.rows.count)

    def mark(self) -> object:
        """See `Operator.mark`."""
        return self._state(), self.rows.counted, self.kernel.considered - self.repeated

    def rewind(self, mark: object) -> None:
        """See `Operator.rewind`."""
        state, self.rows.counted, considered = cast("tuple[OperatorState, RowCounts, int]", mark)
        self.repeated = self.kernel.considered - considered
        self._load(state)

    def _state(self) -> OperatorState:
        inner = self.kernel.state()
        contexts = {} if self.windows is None else self.windows.tables()
        held = {**self.release.tables(), **inner.tables, **self.rows.tables(), **contexts}
        numbers = {**inner.numbers, "reported": self.rows.count, "contiguity": self.release.following}
        numbers |= {} if self.windows is None else {"contexts": self.windows.passed}
        return OperatorState({} if self.ended else held, numbers)

    def _load(self, state: OperatorState) -> None:
        self.rows.resume(state.numbers["reported"] or 0)
        if self.ended:
            return
        self.release.load(state)
        if self.windows is not None:
            self.windows.load(state.tables, state.numbers.get("contexts"))
        self.kernel.load(state)
        self.rows.load(state.tables)


def microseconds(watermark: datetime | None) -> int:
    """A watermark as operators count it, beyond all moments where it is none or the end of time.

    Raises:
        OperatorError: it is naive.
    """
    if watermark is None:
        return -_END
    if watermark.tzinfo is None:
        raise OperatorError("the watermark has no time zone", hint="pass an aware datetime")
    return _END if watermark >= END_OF_TIME else micros(watermark)
