"""Random registrations in the middle of streams, and outages: what an archive and a live stream have between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hypothesis import assume
from hypothesis import strategies as st
from kaicep.archive.rewrite import RefusedError
from kaicep.planner.rewritten_past import rewrite
from kaicep.planner.strategies import candidate_queries

from .cases import Case, bounded_cases, cases, looking_back, pattern_cases
from .engines import project_of
from .tuples import moment

__all__ = ["Past", "answerable", "pasts", "rewritable_pasts"]

_REWRITABLE = (
    *("selections", "semantics", "sliding windows", "batch windows", "hopping windows", "sequences", "joins"),
    *("sequences", "joins"),
)
"""Families that SPARQL can often say."""
_REWRITABLE_KINDS = ("links", "and or", "negation")
_FEWEST, _OFTEN = 3, 2
"""Events that there are at least; outages in ten cases."""


@dataclass(frozen=True)
class Past:
    """A case, and when its query is registered.

    Attributes:
        case: the question.
        at: the moment of the registration.
        overlap: what is archived and live as well.
        in_flight: what is archived late.
        down: from when to when no engine runs; `None`: one runs always. The gaps are at both its ends then.
        snapshots: whether the state of operators survives that.
    """

    case: Case
    at: datetime
    overlap: timedelta
    in_flight: timedelta
    down: tuple[datetime, datetime] | None
    snapshots: bool


@st.composite
def pasts(draw: st.DrawFn) -> Past:
    """Queries of all kinds: with any WITHIN, of several statements, with patterns of runs."""
    form = draw(st.integers(0, 9))
    if form == 0:
        return draw(_registered(cases("documents")))
    if form <= 3:
        kinds = st.sampled_from(("links", "quantifiers", "groups", "until", "runs", "after match"))
        return draw(_registered(_backward(kinds.flatmap(pattern_cases))))
    if form <= 6:
        return draw(_registered(_backward(st.sampled_from(("cumulate windows", "session windows")).flatmap(cases))))
    return draw(_registered(bounded_cases()))


@st.composite
def rewritable_pasts(draw: st.DrawFn) -> Past:
    """Queries that begin before their registration, of the kinds that SPARQL can often say; see `answerable`."""
    families = st.sampled_from(_REWRITABLE).flatmap(cases)
    patterns = st.sampled_from(_REWRITABLE_KINDS).flatmap(pattern_cases)
    return draw(_registered(_backward(draw(st.sampled_from((families, families, families, patterns))))))


def answerable(past: Past) -> bool:
    """Whether every strategy can answer the query."""
    project = project_of(past.case.campus.seed)
    shapes = project.shapes
    (query,) = project.compile(past.case.text)
    try:
        rewrite(query, shapes, project.knowledge)
        candidate_queries(query, shapes, project.knowledge)
    except RefusedError:
        return False
    return True


@st.composite
def _backward(draw: st.DrawFn, unbounded: st.SearchStrategy[Case]) -> Case:
    case = draw(unbounded)
    return replace(case, text=draw(looking_back(case.text)))


@st.composite
def _registered(draw: st.DrawFn, asked: st.SearchStrategy[Case]) -> Past:
    case = draw(asked)
    assume(sum(map(len, case.streams.values())) >= _FEWEST)
    seconds = st.sampled_from((0, 0, 0.5, 1, 3, 60)).map(lambda s: timedelta(seconds=s))
    at = case.registered_at or moment(draw(st.sampled_from((1, 2.5, 4, 6, 9, 30))))
    down = draw(_outages()) if draw(st.integers(0, 9)) < _OFTEN else None
    return Past(case, at, draw(seconds), draw(seconds), down, draw(st.booleans()))


@st.composite
def _outages(draw: st.DrawFn) -> tuple[datetime, datetime]:
    """Before, around and after the registration."""
    begin, end = sorted(draw(st.sampled_from((0, 1, 2.5, 4, 5, 6, 9, 30))) for _ in range(2))
    return moment(begin), moment(end)
