"""Matches over several events: every combination of candidates, and every rule asked of each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import singledispatch

from kaicep.language.expressions import Expression
from kaicep.language.pattern import CorrelationWindow, Element, Link, Pattern, SlidingWindow, Window
from kaicep.language.pattern import Sequence as Links
from kaicep.language.query import Query

from .expressions import Candidate, Scope, holds

Run = tuple[Candidate, ...]
Match = Mapping[str, Run]


def matches(query: Query, candidates: Mapping[str, Sequence[Candidate]]) -> list[Match]:
    """Every binding of the variables to candidates that satisfies every rule."""
    return [match for match in assignments(query, candidates) if is_match(query, match, candidates)]


def assignments(query: Query, candidates: Mapping[str, Sequence[Candidate]]) -> Iterator[Match]:
    """Every way to give each variable a run of its candidates; a variable without a quantifier takes runs of one."""
    variables = [source.variable for source in query.sources]
    for choice in itertools.product(*(candidates[variable] for variable in variables)):
        yield {variable: (candidate,) for variable, candidate in zip(variables, choice, strict=True)}


def is_match(query: Query, match: Match, candidates: Mapping[str, Sequence[Candidate]]) -> bool:
    """Whether an assignment satisfies every rule of the query."""
    return (
        distinct(match)
        and all(joined(condition, match) for condition in query.joins)
        and (query.pattern is None or in_sequence(query.pattern, match))
        and all(inside(window, match, candidates) for window in query.windows)
        and all(agree(names, match) for names in query.partition_by)
    )


def distinct(match: Match) -> bool:
    """Distinct variables are bound to distinct events."""
    ids = [candidate.event.id for run in match.values() for candidate in run]
    return len(ids) == len(set(ids))


def joined(condition: Expression, match: Match) -> bool:
    """A JOIN is true of every choice of one event from each run."""
    return all(holds(condition, Scope(chosen, match)) for chosen in choices(match))


def choices(match: Match) -> Iterator[Mapping[str, Candidate]]:
    """Every way to choose one event of each run."""
    for choice in itertools.product(*match.values()):
        yield dict(zip(match, choice, strict=True))


@singledispatch
def in_sequence(pattern: Pattern, match: Match) -> bool:
    """Whether the pattern of SEQ holds."""
    raise NotImplementedError(type(pattern))


@in_sequence.register
def _(pattern: Element, match: Match) -> bool:
    run = match[pattern.variable]
    return all(a.event.time < b.event.time for a, b in itertools.pairwise(run))


@in_sequence.register
def _(pattern: Links, match: Match) -> bool:
    """Each part holds; what stands before a link ends strictly before what stands after it begins."""
    if any(link is not Link.ANY for link in pattern.links):
        raise NotImplementedError(pattern.links)
    spans = [times(part, match) for part in pattern.parts]
    return all(in_sequence(part, match) for part in pattern.parts) and all(
        max(before) < min(after) for before, after in itertools.pairwise(spans)
    )


def times(pattern: Pattern, match: Match) -> list[datetime]:
    """The time stamps of the events that a part of the pattern binds."""
    parts = pattern.parts if isinstance(pattern, Links) else (pattern,)
    variables = [part.variable for part in parts if isinstance(part, Element)]
    return [candidate.event.time for variable in variables for candidate in match[variable]]


@singledispatch
def inside(window: Window, match: Match, candidates: Mapping[str, Sequence[Candidate]]) -> bool:
    """Whether the match lies inside a window."""
    raise NotImplementedError(type(window))


@inside.register
def _(window: CorrelationWindow, match: Match, candidates: Mapping[str, Sequence[Candidate]]) -> bool:
    moments = [candidate.event.time for variable in window.variables for candidate in match[variable]]
    return max(moments) - min(moments) <= window.width


@inside.register
def _(window: SlidingWindow, match: Match, candidates: Mapping[str, Sequence[Candidate]]) -> bool:
    """Judged when the last event of the match arrives."""
    last = events_of(match)[-1]
    if isinstance(window.extent, timedelta):
        return all(c.event.time > last.event.time - window.extent for c in match[window.variable])
    arrived = [c for c in candidates[window.variable] if c.event.order <= last.event.order]
    return all(c in arrived[-window.extent :] for c in match[window.variable])


def agree(names: Sequence[tuple[str, str]], match: Match) -> bool:
    """PARTITION BY: all events of the match agree in the attribute; unbound is a value too."""
    values = {candidate.event.values.get(column) for variable, column in names for candidate in match[variable]}
    return len(values) == 1


def events_of(match: Match) -> list[Candidate]:
    """The events of a match, in total order."""
    return sorted((candidate for run in match.values() for candidate in run), key=lambda c: c.event.order)


def scope_of(match: Match) -> Scope:
    """What the items of a match speak of."""
    return Scope({variable: run[0] for variable, run in match.items() if len(run) == 1}, match)
