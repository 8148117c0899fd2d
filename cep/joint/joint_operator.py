"""The operators of queries that are alike, in one call: their candidates go through one kernel, as partitions of it.

Each operator keeps what waits, and what later events need, for itself, so that its query can come, go, be saved and
fail by itself. For the time of a call this is put together, and is given back when all has been found: if anything
fails before, nothing has happened. Source: H2O §V (one plan for many queries); docs/decisions/273.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
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
from ..partitions import QUERY_COLUMN, partitioned_by_query
from ..query_operator import QueryOperator, microseconds
from ..reorder_buffer import in_total_order
from .alike_queries import AlikeForm
from .joint_frames import by_time, divided, joined, offsets_of

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

    def rows(self, members: Sequence[JointMember], watermark: datetime | None) -> list[pa.Table | None]:
        """The rows of each query; `None`: it has none.

        Args:
            members: queries of this form, and what they are given.
            watermark: as of `Operator.pieces`.

        Raises:
            CeilingError: together they ask for more than each of them may.
        """
        now = microseconds(watermark)
        released, held = self._released(members, now)
        self._kernel.tally = np.zeros(len(members), dtype=np.int64)
        self._begin_counts(members)
        self._kernel.keep(self._kept(members), max(member.kernel.passed for member in members), 0)
        found = self._advance(released, now)
        rows = self._rows_of(members, found)
        self._give_back(members, held, now)
        for member, of_query in zip(members, rows, strict=True):
            count = 0 if of_query is None else of_query.num_rows
            member.operator.rows.add(standing=count, rows=count, reported=count)
        return rows

    def _begin_counts(self, members: Sequence[JointMember]) -> None:
        for place, count in enumerate(self._kernel.counted):
            count.held = 0
            count.of_queries = QueryCounts(np.array([not m.kernel.counted[place].held for m in members]))

    def _released(
        self, members: Sequence[JointMember], now: int
    ) -> tuple[dict[str, pl.DataFrame], dict[str, list[pl.DataFrame]]]:
        """By variable, what the watermark has passed, of all queries; and what waits, query by query."""
        released, held = {}, {}
        for variable in self._variables:
            like = members[0].operator.release.pending[variable].held
            waiting = in_total_order(joined([member.waiting(variable) for member in members], like))
            due = timestamps(waiting["_time"]) < now
            columns = [name for name in waiting.columns if name != QUERY_COLUMN]
            held[variable] = divided(waiting.filter(pl.Series(~due)), columns, len(members))
            passed = waiting if due.all() else waiting.filter(pl.Series(due))
            released[variable] = self._by_time(self._with_numbers(passed, members))
        return released, held

    @property
    def _variables(self) -> list[str]:
        return [source.variable for source in self._query.sources]

    def _by_time(self, frame: pl.DataFrame) -> pl.DataFrame:
        """As kernels look at candidates; those that are reported one by one stay query by query."""
        return frame if self._query.kind is Kind.SELECTION else by_time(frame)

    def _with_numbers(self, frame: pl.DataFrame, members: Sequence[JointMember]) -> pl.DataFrame:
        """Candidates beside the numbers that the values of their query's windows are compared with."""
        queries = frame[QUERY_COLUMN]
        found = []
        for place, (column, _) in enumerate(members[0].form.numbers):
            of = [member.form.numbers[place][1].value for member in members]
            found.append(pl.Series(column.name, of, POLARS_TYPES[column.type]).gather(queries))
        return frame.hstack(found) if found else frame

    def _kept(self, members: Sequence[JointMember]) -> dict[str, pl.DataFrame]:
        """By variable, what the operators keep, as one kernel would."""
        frames = {}
        for variable in self._variables if self._query.kind is not Kind.SELECTION else ():
            kept = joined([[member.kept(variable)] for member in members], members[0].kept(variable))
            frames[variable] = by_time(self._with_numbers(kept, members))
        if self._query.kind is not Kind.PATTERN:
            return frames
        numbers = numbered_events({v: frame.drop(NUMBER) for v, frame in frames.items()}, 0)[0]
        return {v: frame.with_columns(pl.Series(NUMBER, numbers[v])) for v, frame in frames.items()}

    def _advance(self, released: Mapping[str, pl.DataFrame], now: int) -> MatchFrame | None:
        if isinstance(self._kernel, PatternKernel):
            return self._kernel.advance(released, now, at_once=True)
        return self._kernel.advance(released, now)

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

    def _give_back(self, members: Sequence[JointMember], held: Mapping[str, list[pl.DataFrame]], now: int) -> None:
        """Let the operators go on by themselves."""
        added = {QUERY_COLUMN, *(column.name for column, _ in members[0].form.numbers)}
        kept = {
            variable: divided(frame, [name for name in frame.columns if name not in added], len(members))
            for variable, frame in self._kernel.kept.items()
        }
        tally = np.zeros(len(members), dtype=np.int64)
        tally[: len(self._kernel.tally)] = self._kernel.tally
        for place, (member, count) in enumerate(zip(members, tally.tolist(), strict=True)):
            for variable, waiting in held.items():
                member.operator.release.pending[variable].held = waiting[place]
            member.kernel.keep({variable: frames[place] for variable, frames in kept.items()}, now, count)
        for place, of_all in enumerate(self._kernel.counted):
            if of_all.of_queries is not None:
                asked, true_of = of_all.of_queries.asked.tolist(), of_all.of_queries.held.tolist()
                for member, *counts in zip(members, asked, true_of, strict=True):
                    member.kernel.counted[place].add(*counts)


class JointMember:
    """One of several queries that are alike.

    Args:
        operator: its operator.
        form: what is equal of it and the others.
        candidates: what it is given: see `Operator.pieces`.
    """

    def __init__(self, operator: QueryOperator, form: AlikeForm, candidates: Candidates) -> None:
        self.operator, self.form = operator, form
        self._candidates = candidates

    @property
    def seeds(self) -> Seeds:
        """What tells the digests of its rows apart."""
        return seeds_of(self.operator.query.identity)

    @property
    def kernel(self) -> JointKernel:
        """The operator's."""
        return cast("JointKernel", self.operator.kernel)

    def waiting(self, variable: str) -> list[pl.DataFrame]:
        """What waits of a variable, and behind it what has come."""
        held, arrived = self.operator.release.pending[variable].held, self._candidates.get(variable)
        if arrived is None:
            return [held]
        return [held, arrived if isinstance(arrived, pl.DataFrame) else conform(arrived, held)]

    def kept(self, variable: str) -> pl.DataFrame:
        """What its kernel keeps of a variable."""
        known = self.kernel.kept.get(variable)
        if known is not None:
            return known
        return self.operator.release.pending[variable].held.clear().with_columns(pl.lit(0, pl.Int64).alias(NUMBER))
