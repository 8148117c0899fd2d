"""Queries that are alike, answered together: those that are given events of a batch at the same watermark.

They differ in classes, thresholds and names. What their operators do is done once for all of them. If anything goes
wrong then, each is answered by itself, so that only whose fault it is fails.
Source: H2O §V (many queries); docs/decisions/273.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from cachetools import LRUCache
from polars.exceptions import PanicException

from ....cep import JointOperator
from ..queries import EventBatch, QueryIsolation, QueryRuntime, Selected
from .running_answer import RunningAnswer, TimeSpent

__all__ = ["JointAnswering"]

_ROWS = 2**19
"""Candidates of so many rows are held at once."""
_APART = 64
"""For so many batches queries are answered one by one that could not be answered together."""
_KNOWN = 1_024


_Company = tuple[str, datetime | None, datetime | None]
"""What is equal of queries, the watermark up to which they were answered, and that up to which they are."""


class _Given(NamedTuple):
    """A query, and its candidates."""

    flow: QueryRuntime
    candidates: Mapping[str, Selected]


class JointAnswering:
    """Answers queries together, where there are several that are alike.

    Args:
        isolation: how queries are run.
    """

    def __init__(self, isolation: QueryIsolation) -> None:
        self._isolation = isolation
        self._operators: LRUCache[str, JointOperator] = LRUCache(_KNOWN)
        self._apart: LRUCache[str, int] = LRUCache(_KNOWN)

    def answers(
        self, asked: Iterable[tuple[QueryRuntime, Mapping[str, EventBatch], datetime | None]], time: TimeSpent
    ) -> dict[str, RunningAnswer]:
        """By label, the rows of the queries that are like others; the others are to be answered by themselves.

        Args:
            asked: queries that do not read each other, the events of a batch that each is given by stream, and the
                watermark up to which it is answered.
            time: what each has taken.
        """
        companies: dict[_Company, list[tuple[QueryRuntime, Mapping[str, EventBatch]]]] = {}
        for flow, events, watermark in asked:
            if flow.likeness is not None and flow.failure is None and not flow.ended:
                company = flow.likeness.key, flow.watermark, watermark
                companies.setdefault(company, []).append((flow, events))
        found: dict[str, RunningAnswer] = {}
        for (_, _, watermark), members in companies.items():
            if len(members) > 1:
                found |= {flow.registration.label: RunningAnswer(flow, iter(()), found=True) for flow, _ in members}
                for part in self._given(members, watermark, time):
                    found |= self._answered(part, watermark, time)
        return found

    def _given(
        self,
        asked: Iterable[tuple[QueryRuntime, Mapping[str, EventBatch]]],
        watermark: datetime | None,
        time: TimeSpent,
    ) -> Iterator[list[_Given]]:
        """The queries whose operators are to be asked, with their candidates, so many at a time as are to be held."""
        given: list[_Given] = []
        rows = 0
        for flow, events in asked:
            with time.of(flow.registration.label):
                candidates = self._isolation.run(flow, partial(flow.needed, events, watermark))
            if candidates is not None:
                given.append(_Given(flow, candidates))
                rows += sum(map(len, candidates.values()))
            if rows >= _ROWS:
                yield given
                given, rows = [], 0
        yield given

    def _answered(self, given: list[_Given], watermark: datetime | None, time: TimeSpent) -> dict[str, RunningAnswer]:
        """The rows of queries, together if that can be done."""
        rows = self._together(given, watermark, time)
        if rows is None:
            alone = [RunningAnswer(of.flow, of.flow.answered(of.candidates, watermark)) for of in given]
            return {answer.label: answer for answer in alone}
        for of in given:
            of.flow.pass_to(watermark)
        found = [
            RunningAnswer(of.flow, iter(() if table is None else (table,)), found=True)
            for of, table in zip(given, rows, strict=True)
        ]
        return {answer.label: answer for answer in found}

    def _together(
        self, given: list[_Given], watermark: datetime | None, time: TimeSpent
    ) -> list[pa.Table | None] | None:
        """The rows of each; `None`: they have to be answered one by one."""
        if len(given) < 2 or (likeness := given[0].flow.likeness) is None:
            return None
        left = self._apart.pop(likeness.key, 0)
        if left:
            self._apart[likeness.key] = left - 1
            return None
        members = [of.flow.joining(of.candidates) for of in given]
        with suppress(Exception, PanicException), time.limited():  # whose fault it is comes out where each asks alone
            if likeness.key not in self._operators:
                self._operators[likeness.key] = JointOperator(likeness.form, likeness.limits)
            return self._operators[likeness.key].rows(members, watermark)
        self._apart[likeness.key] = _APART
        return None
