"""The operators of queries that are alike, in one call: their candidates go through one kernel, as partitions of it.

Each operator keeps what waits, and what later events need, for itself, so that its query can come, go, be saved and
fail by itself. For the time of a call this is put together, and is given back when all has been found: if anything
fails before, nothing has happened. Source: H2O §V (one plan for many queries); docs/decisions/273.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol, cast

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import POLARS_TYPES, Ints, timestamps
from ...language.nodes import Kind
from ..candidate_release import conform
from ..joins import PatternKernel
from ..kernel_table import build_kernel
from ..limits import Ceilings, Limits
from ..operator_core import Kernel
from ..order import NUMBER, Interval, numbered_events, stable_order
from ..output import ROWS_AT_ONCE, ConditionCount, MatchFrame, QueryCounts, RowOutput, Seeds, seeds_of
from ..partitions import QUERY_COLUMN, QuerySharing, partitioned_by_query
from ..query_operator import QueryOperator, microseconds
from ..reorder_buffer import in_total_order
from ..windows import AggregationKernel
from .alike_queries import AlikeForm
from .joint_frames import Arrived, by_time, divided, joined, offsets_of, with_arrived

__all__ = ["JointMember", "JointOperator"]

Candidates = Mapping[str, pa.Table | pl.DataFrame]


class JointKernel(Kernel, Protocol):
    """A kernel that may be one of several queries: what it remembers between two calls is candidates alone.

    Attributes:
        tally: of several queries, how many matches or windows of each the last call has found.
        passed: the watermark of the last call, or of an earlier one if nothing has become true since, in microseconds.
    """

    tally: Ints
    passed: int

    @property
    def counted(self) -> tuple[ConditionCount, ...]:
        """What counts of how much conditions were true."""

    @property
    def kept(self) -> Mapping[str, pl.DataFrame]:
        """By variable, the candidates that it keeps."""

    def keep(self, frames: Mapping[str, pl.DataFrame], passed: int, found: int) -> None:
        """Go on where another kernel has come to.

        Args:
            frames: by variable, candidates that it keeps.
            passed: the watermark, in microseconds, that all of them lie below.
            found: how many matches or windows it has found on the way.
        """


class JointOperator:
    """Does at once what the operators of several queries would do one by one.

    Args:
        form: what is equal of the queries.
        limits: how much each of them may take; all of them may take no more together, or each is asked by itself.
    """

    def __init__(self, form: AlikeForm, limits: Limits) -> None:
        self._query = partitioned_by_query(form.query)
        self._kernel = cast("JointKernel", build_kernel(self._query, Interval(), limits))
        self._output = RowOutput(self._query, self._kernel.names)
        self._ceilings = Ceilings(self._query, limits)

    def rows(
        self,
        members: Sequence[JointMember],
        watermark: datetime | None,
        arrived: Callable[[Sequence[int]], Mapping[str, Arrived]] | None = None,
    ) -> list[pa.Table | None]:
        """The rows of each query; `None`: it has none.

        Args:
            members: queries of this form, and what they are given.
            watermark: as of `Operator.pieces`.
            arrived: gives by variable what has come for some of the members, of which their places are given; `None`:
                each has its candidates.

        Raises:
            CeilingError: together they ask for more than each of them may.
        """
        now = microseconds(watermark)
        groups = self._groups(members)
        leaders = [members[group[0]] for group in groups]
        released, held = self._released(
            leaders, now, {} if arrived is None else arrived([group[0] for group in groups])
        )
        self._kernel.tally = np.zeros(len(members), dtype=np.int64)
        self._begin_counts(leaders)
        sharing = QuerySharing(groups, self._numbers(members))
        if isinstance(self._kernel, AggregationKernel):
            self._kernel.sharing = sharing
        self._kernel.keep(self._kept(leaders), max(member.kernel.passed for member in members), 0)
        found = self._for_each(self._advance(released, now), sharing)
        rows = self._rows_of(members, found)
        self._give_back(members, groups, held, now)
        for member, of_query in zip(members, rows, strict=True):
            count = 0 if of_query is None else of_query.num_rows
            member.operator.rows.add(standing=count, rows=count, reported=count)
        return rows

    def _groups(self, members: Sequence[JointMember]) -> list[list[int]]:
        """The places of members that are in one state, and are given the same: what they find is found once."""
        groups: dict[Hashable, list[int]] = {}
        for place, member in enumerate(members):
            alike = member.standing
            groups.setdefault(place if alike is None else alike, []).append(place)
        return list(groups.values())

    def _numbers(self, members: Sequence[JointMember]) -> pl.DataFrame:
        """The numbers that the values of each query's windows are compared with."""
        return pl.DataFrame([
            pl.Series(column.name, [m.form.numbers[place][1].value for m in members], POLARS_TYPES[column.type])
            for place, (column, _) in enumerate(members[0].form.numbers)
        ])  # fmt: skip

    def _begin_counts(self, members: Sequence[JointMember]) -> None:
        for place, count in enumerate(self._kernel.counted):
            count.held = 0
            count.of_queries = QueryCounts(np.array([not m.kernel.counted[place].held for m in members]))

    def _released(
        self, members: Sequence[JointMember], now: int, arrived: Mapping[str, Arrived]
    ) -> tuple[dict[str, pl.DataFrame], dict[str, list[pl.DataFrame]]]:
        """By variable, what the watermark has passed, of all queries; and what waits, query by query."""
        released, held = {}, {}
        for variable in self._variables:
            like = members[0].operator.release.pending[variable].held
            if variable in arrived:
                waiting = with_arrived([member.held(variable) for member in members], arrived[variable], like)
            else:
                waiting = joined([member.waiting(variable) for member in members], like)
            waiting = in_total_order(waiting)
            due = timestamps(waiting["_time"]) < now
            columns = [name for name in waiting.columns if name != QUERY_COLUMN]
            held[variable] = divided(waiting.filter(pl.Series(~due)), columns, len(members))
            passed = waiting if due.all() else waiting.filter(pl.Series(due))
            released[variable] = self._by_time(passed)
        return released, held

    @property
    def _variables(self) -> list[str]:
        return [source.variable for source in self._query.sources]

    def _by_time(self, frame: pl.DataFrame) -> pl.DataFrame:
        """As kernels look at candidates; those that are reported one by one stay query by query."""
        return frame if self._query.kind is Kind.SELECTION else by_time(frame)

    def _kept(self, members: Sequence[JointMember]) -> dict[str, pl.DataFrame]:
        """By variable, what the operators keep, as one kernel would."""
        frames = {}
        for variable in self._variables if self._query.kind is not Kind.SELECTION else ():
            kept = joined([[member.kept(variable)] for member in members], members[0].kept(variable))
            frames[variable] = by_time(kept)
        if self._query.kind is not Kind.PATTERN:
            return frames
        numbers = numbered_events({v: frame.drop(NUMBER) for v, frame in frames.items()}, 0)[0]
        return {v: frame.with_columns(pl.Series(NUMBER, numbers[v])) for v, frame in frames.items()}

    def _advance(self, released: Mapping[str, pl.DataFrame], now: int) -> MatchFrame | None:
        if isinstance(self._kernel, PatternKernel):
            return self._kernel.advance(released, now, at_once=True)
        return self._kernel.advance(released, now)

    def _for_each(self, found: MatchFrame | None, sharing: QuerySharing) -> MatchFrame | None:
        """What was found for groups, for each of their members; of windows it is so already."""
        if found is None or found.queries is None or not sharing.shares or isinstance(self._kernel, AggregationKernel):
            return found
        places, members = sharing.each(found.queries)
        return replace(found.at(places), queries=members)

    def _rows_of(self, members: Sequence[JointMember], found: MatchFrame | None) -> list[pa.Table | None]:
        """The rows of each query, made of the matches of several at a time."""
        rows: list[pa.Table | None] = [None] * len(members)
        if found is None or found.queries is None:
            return rows
        offsets = offsets_of(found.queries, len(members))
        if (found.queries[1:] < found.queries[:-1]).any():
            found = found.at(stable_order(found.queries))
        first = 0
        while first < len(members):
            behind = max(bisect_right(offsets, offsets[first] + ROWS_AT_ONCE) - 1, first + 1)
            self._ceilings.check_time()
            made = self._output.rows(found.at(slice(offsets[first], offsets[behind])), [m.seeds for m in members])
            for place in range(first, behind):
                count = offsets[place + 1] - offsets[place]
                rows[place] = made.slice(offsets[place] - offsets[first], count) if count else None
            first = behind
        return rows

    def _give_back(
        self,
        members: Sequence[JointMember],
        groups: Sequence[Sequence[int]],
        held: Mapping[str, list[pl.DataFrame]],
        now: int,
    ) -> None:
        """Let the operators go on by themselves; those of a group hold one copy of what they hold."""
        kept = {
            variable: divided(frame, [name for name in frame.columns if name != QUERY_COLUMN], len(groups))
            for variable, frame in self._kernel.kept.items()
        }
        tally = np.zeros(len(members), dtype=np.int64)
        tally[: len(self._kernel.tally)] = self._kernel.tally
        by_member = isinstance(self._kernel, AggregationKernel)
        for number, group in enumerate(groups):
            for place in group:
                for variable, waiting in held.items():
                    members[place].operator.release.pending[variable].held = waiting[number]
                frames = {variable: of_groups[number] for variable, of_groups in kept.items()}
                members[place].kernel.keep(frames, now, int(tally[place if by_member else number]))
        for place, of_all in enumerate(self._kernel.counted):
            if of_all.of_queries is not None:
                asked, true_of = of_all.of_queries.asked.tolist(), of_all.of_queries.held.tolist()
                for group, *counts in zip(groups, asked, true_of, strict=True):
                    for member in group:
                        members[member].kernel.counted[place].add(*counts)


class JointMember:
    """One of several queries that are alike.

    Args:
        operator: its operator.
        form: what is equal of it and the others.
        candidates: what it is given: see `Operator.pieces`.
        given: equal where that is equal; `None`: that is not known.
    """

    def __init__(
        self, operator: QueryOperator, form: AlikeForm, candidates: Candidates, given: Hashable = None
    ) -> None:
        self.operator, self.form = operator, form
        self._candidates, self._given = candidates, given

    @property
    def standing(self) -> Hashable | None:
        """Equal where what it is given, and what it holds, is the same; `None`: that is not known."""
        if self._given is None:
            return None
        held = [pending.held for pending in self.operator.release.pending.values()]
        state = (id(frame) if frame.height else None for frame in (*held, *self.kernel.kept.values()))
        return self._given, *state, *(count.held > 0 for count in self.kernel.counted)

    @property
    def seeds(self) -> Seeds:
        """What tells the digests of its rows apart."""
        return seeds_of(self.operator.query.identity)

    @property
    def kernel(self) -> JointKernel:
        """The operator's."""
        return cast("JointKernel", self.operator.kernel)

    def held(self, variable: str) -> pl.DataFrame:
        """What waits of a variable."""
        return self.operator.release.pending[variable].held

    def waiting(self, variable: str) -> list[pl.DataFrame]:
        """What waits of a variable, and behind it what has come."""
        held, arrived = self.held(variable), self._candidates.get(variable)
        if arrived is None:
            return [held]
        return [held, arrived if isinstance(arrived, pl.DataFrame) else conform(arrived, held)]

    def kept(self, variable: str) -> pl.DataFrame:
        """What its kernel keeps of a variable."""
        known = self.kernel.kept.get(variable)
        if known is not None:
            return known
        return self.operator.release.pending[variable].held.clear().with_columns(pl.lit(0, pl.Int64).alias(NUMBER))
