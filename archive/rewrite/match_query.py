"""Correlation as SPARQL: JOIN, SEQ and WINDOW become FILTERs between events (paper §5.2, Rules 2 to 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations, pairwise, permutations, product
from typing import assert_never

import polars as pl

from ...annotator import EventShape
from ...expressions import RefusedError, sparql_text
from ...language.nodes import (
    Alternative,
    Binary,
    Column,
    Conjunction,
    Constant,
    CorrelationWindow,
    Element,
    Expression,
    Group,
    Link,
    Negation,
    Pattern,
    Query,
    SlidingWindow,
    Timer,
    aggregates_of,
    event_variables,
)
from ...language.nodes import Sequence as Links
from ...ontology import KnowledgeBase
from .candidate_query import CandidateQuery, rewrite_candidates
from .solutions import read_solutions
from .sparql_terms import constant, duration_text


@dataclass(frozen=True, slots=True)
class NotExists:
    """A NOT: no candidate of this SELECT for which the tests hold."""

    select: CandidateQuery
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """A SELECT of the matches of a query over several events.

    Attributes:
        selects: by event variable that a match binds, the SELECT of its candidates.
        tests: FILTERs between the events of a match.
        absences: its NOTs.
        reach: how far the events of a match may lie apart.
    """

    selects: Mapping[str, CandidateQuery]
    tests: tuple[str, ...]
    absences: tuple[NotExists, ...]
    reach: timedelta

    def text(self, graphs: Mapping[str, Sequence[str]] | None, start: datetime | None, end: datetime | None) -> str:
        """The SPARQL for the matches of events with start <= `_time` < end.

        Args:
            graphs: by stream, the graphs of its events; `None`: any, in an outline for people.
            start: aware; `None`: from the first event.
            end: aware; `None`: to the last.
        """

        def group(select: CandidateQuery) -> str:
            among = None if graphs is None else graphs[select.source.stream.name]
            inner = select.text_with(among, start, end).splitlines()
            return "\n".join(["  {", *(f"    {line}" for line in inner), "  }"])

        parts = [group(select) for select in self.selects.values()]
        parts += [f"  FILTER ({test})" for test in self.tests]
        for absence in self.absences:
            tests = "\n".join(f"  FILTER ({test})" for test in absence.tests)
            parts.append(f"  FILTER NOT EXISTS {{\n{group(absence.select)}\n{tests}\n  }}")
        head = " ".join(f"?{name}" for select in self.selects.values() for name in select.variables)
        order = " ".join(select.moment for select in self.selects.values())
        return "\n".join([f"SELECT {head} WHERE {{", *parts, f"}} ORDER BY {order}"])

    @property
    def apart(self) -> bool:
        """Whether all that is asked of the default graph is knowledge."""
        return all(select.apart for select in [*self.selects.values(), *(a.select for a in self.absences)])

    def read(self, tsv: bytes) -> dict[str, pl.DataFrame]:
        """By event variable, the columns of the candidate that each match binds it to."""
        terms = read_solutions(tsv, [name for select in self.selects.values() for name in select.variables])
        return {variable: select.columns_of(terms) for variable, select in self.selects.items()}


def rewrite_matches(query: Query, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase) -> MatchQuery:
    """Rewrite a query over several events.

    Raises:
        RefusedError: SPARQL cannot say it.
    """
    every = {s.variable: rewrite_exact_candidates(query, i, shapes, knowledge) for i, s in enumerate(query.sources)}
    _refuse_what_is_asked_of_runs(query)
    order, absences = ([], []) if query.pattern is None else _taken_apart(query.pattern)
    absent = {absence.variable for absence in absences}
    selects = {v: select for v, select in every.items() if v not in absent}
    bound = [s for s in query.sources if s.variable in selects]
    tests = [f"?{a.variable} != ?{b.variable}" for a, b in combinations(bound, 2) if a.stream == b.stream]
    tests += [f"{every[u].moment} < {every[v].moment}" for u, v in order]
    tests += _windows(query, selects)
    tests += [_join(join, every) for join in query.joins if absent.isdisjoint(event_variables(join))]
    tests += _partitions(query, every, frozenset(selects))
    nots = tuple(NotExists(every[a.variable], tuple(_absence(query, a, every, selects))) for a in absences)
    return MatchQuery(selects, tuple(tests), nots, _reach(query))


def rewrite_exact_candidates(
    query: Query, place: int, shapes: Mapping[str, EventShape], knowledge: KnowledgeBase
) -> CandidateQuery:
    """The candidates of the variable at a place in FROM, all of its FILTERs in SPARQL.

    Raises:
        RefusedError: a FILTER or PATH has no SPARQL that means the same.
    """
    source = query.sources[place]
    select = rewrite_candidates(source, shapes[source.stream.name], knowledge)
    if select.rest:
        raise RefusedError(f"a FILTER of ?{source.variable}: {select.notes[0]}")
    streams = {s.stream.name for s in query.sources}
    if source.semantics is not None and len(streams) > 1:
        raise RefusedError(f"a PATH of ?{source.variable} would see the events of the other stream, too")
    return select


def _refuse_what_is_asked_of_runs(query: Query) -> None:
    if query.having is not None or any(item.condition is not None for item in query.items):
        raise RefusedError("what is asked of complete matches is left to the operators")
    if any(aggregates_of(join) for join in query.joins):
        raise RefusedError("aggregates over the events of a match are left to the operators")


@dataclass(frozen=True, slots=True)
class _Gap:
    """A NOT and its neighbours: after all events of `before` (empty: at the beginning), before all of `after`."""

    variable: str
    before: tuple[str, ...]
    after: tuple[str, ...]


def _taken_apart(pattern: Pattern) -> tuple[list[tuple[str, str]], list[_Gap]]:
    """Pairs of variables whose events follow one another in time, and the NOTs."""
    match pattern:
        case Element(quantifier=None):
            return [], []
        case Element() | Group():
            raise RefusedError("SPARQL binds a variable to one event and not to a run")
        case Alternative():
            raise RefusedError("OR is left to the operators")
        case Conjunction(parts=parts):
            inner = [_taken_apart(part) for part in parts]
            return [pair for pairs, _ in inner for pair in pairs], [gap for _, gaps in inner for gap in gaps]
        case Links(parts=parts, links=links):
            if any(link is not Link.ANY for link in links):
                raise RefusedError("links other than ->> look at events that are passed over")
            return _in_order(parts)
        case Timer():
            raise RefusedError("a match with a timer becomes true at a moment, not with an event")
        case Negation():
            raise RefusedError("NOT stands alone")
        case _:
            assert_never(pattern)


def _in_order(parts: Sequence[Pattern]) -> tuple[list[tuple[str, str]], list[_Gap]]:
    positive = [i for i, part in enumerate(parts) if not isinstance(part, Negation)]
    inner = [_taken_apart(parts[i]) for i in positive]
    pairs, gaps = [p for of_part, _ in inner for p in of_part], [g for _, of_part in inner for g in of_part]
    for one, next_one in pairwise(positive):
        pairs += product(_variables(parts[one]), _variables(parts[next_one]))
    for i, part in enumerate(parts):
        if isinstance(part, Negation):
            earlier, later = [p for p in positive if p < i], [p for p in positive if p > i]
            if part.duration is not None or not later:
                raise RefusedError("a match with FOR or a last NOT becomes true after its last event")
            before = tuple(_variables(parts[earlier[-1]])) if earlier else ()
            gaps.append(_Gap(part.variable, before, tuple(_variables(parts[later[0]]))))
    return pairs, gaps


def _absence(
    query: Query, gap: _Gap, every: Mapping[str, CandidateQuery], selects: Mapping[str, CandidateQuery]
) -> Iterator[str]:
    own = every[gap.variable].moment
    yield from (f"{own} > {every[v].moment}" for v in gap.before)
    yield from (f"{own} < {every[v].moment}" for v in gap.after)
    if not gap.before:
        widths = [w.width for w in query.windows if isinstance(w, CorrelationWindow)]
        widths += [] if query.retention is None else [query.retention]
        yield from (f"({select.moment} - {own}) <= {duration_text(min(widths))}" for select in selects.values())
    yield from (_join(join, every) for join in query.joins if gap.variable in event_variables(join))
    yield from _partitions(query, every, frozenset([gap.variable, next(iter(selects))]))


def _variables(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case Element(variable=variable):
            yield variable
        case Conjunction(parts=parts) | Links(parts=parts):
            for part in parts:
                yield from _variables(part)
        case Alternative() | Group() | Negation() | Timer():
            return
        case _:
            assert_never(pattern)


def _windows(query: Query, selects: Mapping[str, CandidateQuery]) -> Iterator[str]:
    """How far events may lie apart."""
    everywhere = tuple(selects)
    wide = [] if query.retention is None else [(everywhere, query.retention)]
    for window in query.windows:
        match window:
            case CorrelationWindow(variables=variables, width=width):
                wide.append((variables, width))
            case SlidingWindow(variable=variable, extent=timedelta() as extent):
                for other in everywhere:
                    if other != variable:
                        yield f"({selects[other].moment} - {selects[variable].moment}) < {duration_text(extent)}"
            case _:
                raise RefusedError("a window of so many events: SPARQL counts none")
    for variables, width in wide:
        for u, v in permutations([v for v in variables if v in selects], 2):
            yield f"({selects[u].moment} - {selects[v].moment}) <= {duration_text(width)}"


def _join(join: Expression, selects: Mapping[str, CandidateQuery]) -> str:
    """Rule 2; raw values that stand in IRIs only are equal when the IRIs are."""
    match join:
        case Binary(operator="=" | "!=" as operator, left=Column() as left, right=Column() as right):
            one, other = (selects[c.variable].named(c) for c in (left, right))
            if one is not None and other is not None and one[0] == other[0]:
                return f"{one[1]} {operator} {other[1]}"
        case Binary(operator="AND", left=first, right=second):
            return f"({_join(first, selects)} && {_join(second, selects)})"
        case _:
            pass
    return sparql_text(
        join, lambda node: constant(node) if isinstance(node, Constant) else selects[node.variable].value(node)
    )


def _partitions(query: Query, selects: Mapping[str, CandidateQuery], among: frozenset[str]) -> Iterator[str]:
    for columns in query.partition_by:
        values = []
        for variable, name in columns:
            if variable not in among:
                continue
            found = selects[variable].plain(name)
            if found is None:
                raise RefusedError(f"PARTITION BY {name}: it is not one variable of the archive")
            values.append(found)
        for one, other in combinations(values, 2):
            yield f"COALESCE({one} = {other}, ! BOUND({one}) && ! BOUND({other}))"


def _reach(query: Query) -> timedelta:
    """More than any two events of a match lie apart: windows tie all of them together."""
    widths = [w.width if isinstance(w, CorrelationWindow) else w.extent for w in query.windows
              if isinstance(w, CorrelationWindow | SlidingWindow)]  # fmt: skip
    widths += [] if query.retention is None else [query.retention]
    return sum((w for w in widths if isinstance(w, timedelta)), timedelta(microseconds=1))
