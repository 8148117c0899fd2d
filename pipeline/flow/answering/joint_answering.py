"""Queries that are alike, answered together: those that are given events of a batch at the same watermark.

They differ in classes, thresholds and names. What their operators do is done once for all of them. If anything goes
wrong then, each is answered by itself, so that only whose fault it is fails.
Source: H2O §V (many queries); docs/decisions/273.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

import pyarrow as pa
from cachetools import LRUCache
from polars.exceptions import PanicException

from ....cep import JointOperator
from ..queries import EventBatch, QueryIsolation, QueryRuntime, Selected
from .company import Company, CompanySelection, MemberInput
from .running_answer import RunningAnswer, TimeSpent

__all__ = ["JointAnswering"]

_ROWS = 2**19
"""Candidates of so many rows are held at once."""
_APART = 64
"""For so many batches queries are answered one by one that could not be answered together."""
_KNOWN = 1_024


_Alike = tuple[str, datetime | None, datetime | None]
"""What is equal of queries, the watermark up to which they were answered, and that up to which they are."""


class JointAnswering:
    """Answers queries together, where there are several that are alike.

    Args:
        isolation: how queries are run.
    """

    def __init__(self, isolation: QueryIsolation) -> None:
        self._isolation = isolation
        self._operators: LRUCache[str, JointOperator] = LRUCache(_KNOWN)
        self._apart: LRUCache[str, int] = LRUCache(_KNOWN)
        self._selections: LRUCache[str, CompanySelection] = LRUCache(_KNOWN)

    def answers(
        self, asked: Iterable[tuple[QueryRuntime, Mapping[str, EventBatch], datetime | None]], time: TimeSpent
    ) -> dict[str, RunningAnswer]:
        """By label, the rows of the queries that are like others; the others are to be answered by themselves.

        Args:
            asked: queries that do not read each other, the events of a batch that each is given by stream, and the
                watermark up to which it is answered.
            time: what each has taken.
        """
        alike: dict[_Alike, list[tuple[QueryRuntime, Mapping[str, EventBatch]]]] = {}
        for flow, events, watermark in asked:
            if flow.likeness is not None and flow.failure is None and not flow.ended:
                alike.setdefault((flow.likeness.key, flow.watermark, watermark), []).append((flow, events))
        found: dict[str, RunningAnswer] = {}
        for (key, _, watermark), members in alike.items():
            if len(members) > 1:
                found |= {flow.registration.label: RunningAnswer(flow, iter(()), found=True) for flow, _ in members}
                self._isolation.leave_when_cancelled()
                company, given = self._given(key, members, watermark, time)
                for part in _parts(company, given):
                    found |= self._answered(company, part, watermark, time)
        return found

    def _given(
        self,
        key: str,
        asked: Sequence[tuple[QueryRuntime, Mapping[str, EventBatch]]],
        watermark: datetime | None,
        time: TimeSpent,
    ) -> tuple[Company, list[MemberInput]]:
        """What is given to the queries whose operators are to be asked."""
        events = asked[0][1]
        told = [flow for flow, of in asked if of is events and flow.is_given_all]
        if key not in self._selections:
            self._selections[key] = CompanySelection()
        company = self._selections[key].taken(told, events)
        given = [MemberInput(flow, place) for place, flow in enumerate(told)]
        for place, variable, selection, batch in company.apart():
            self._ask(given[place], variable, partial(selection.candidates, batch), time)
        there = [
            one for one in given if one.flow.failure is None and (company.size(one) or not one.flow.passes(watermark))
        ]
        whole = {id(flow) for flow in told}
        for flow, of in asked:
            if id(flow) not in whole:
                with time.of(flow.registration.label):
                    candidates = self._isolation.run(flow, partial(flow.needed, of, watermark))
                if candidates is not None:
                    there.append(MemberInput(flow, None, dict(candidates)))
        return company, there

    def _ask(self, given: MemberInput, variable: str, select: Callable[[], Selected | None], time: TimeSpent) -> None:
        """Ask for the candidates of one variable by itself."""
        if given.flow.failure is None:
            with time.of(given.flow.registration.label):
                found = self._isolation.run(given.flow, select)
            if found is not None:
                given.candidates[variable] = found

    def _answered(
        self, company: Company, given: list[MemberInput], watermark: datetime | None, time: TimeSpent
    ) -> dict[str, RunningAnswer]:
        """The rows of queries, together if that can be done."""
        rows = self._together(company, given, watermark, time)
        if rows is None:
            alone = [RunningAnswer(of.flow, of.flow.answered(company.candidates(of), watermark)) for of in given]
            return {answer.label: answer for answer in alone}
        for of in given:
            of.flow.pass_to(watermark)
        found = [
            RunningAnswer(of.flow, iter(() if table is None else (table,)), found=True)
            for of, table in zip(given, rows, strict=True)
        ]
        return {answer.label: answer for answer in found}

    def _together(
        self, company: Company, given: list[MemberInput], watermark: datetime | None, time: TimeSpent
    ) -> list[pa.Table | None] | None:
        """The rows of each; `None`: they have to be answered one by one."""
        if len(given) < 2 or (likeness := given[0].flow.likeness) is None:
            return None
        left = self._apart.pop(likeness.key, 0)
        if left:
            self._apart[likeness.key] = left - 1
            return None
        told = company.is_told(given[0])
        members = [
            of.flow.joining({}, company.key(of)) if told else of.flow.joining(company.candidates(of)) for of in given
        ]
        with suppress(Exception, PanicException), time.limited():  # whose fault it is comes out where each asks alone
            if likeness.key not in self._operators:
                self._operators[likeness.key] = JointOperator(likeness.form, likeness.limits)
            arrived = partial(company.arrived, given) if told else None
            return self._operators[likeness.key].rows(members, watermark, arrived)
        self._apart[likeness.key] = _APART
        return None


def _parts(company: Company, given: Sequence[MemberInput]) -> Iterator[list[MemberInput]]:
    """Queries whose operators are asked together: so many as may hold their candidates at once.

    Those that are told rows alone are apart from those that are given candidates.
    """
    told = [one for one in given if company.is_told(one)]
    for alike in (told, [one for one in given if not company.is_told(one)]):
        part: list[MemberInput] = []
        rows = 0
        for one in alike:
            part.append(one)
            rows += company.size(one)
            if rows >= _ROWS:
                yield part
                part, rows = [], 0
        yield part
