"""Whole cases: a project, its streams and a query about them; and how two answers are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pprint import pformat
from typing import Any

from hypothesis import strategies as st

from .campus import Campus, campuses
from .pattern_queries import pattern_queries
from .patterns import KINDS, sketches
from .queries import FAMILIES
from .tuples import Tuples, moment, streams

__all__ = [
    "KINDS",
    "Case",
    "bounded",
    "bounded_cases",
    "cases",
    "difference",
    "looking_back",
    "pattern_cases",
    "within",
]

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Case:
    """A question: project, text, streams, and the moment of registration."""

    campus: Campus
    text: str
    streams: Mapping[str, Tuples]
    registered_at: datetime | None = None

    def __repr__(self) -> str:
        tuples = pformat(dict(self.streams), width=200)
        project = pformat({k: v for k, v in self.campus.settings.items() if k != "prefixes"}, width=120)
        return f"\n{self.text}\n--- registered at {self.registered_at}\n{tuples}\n{project}\n{self.campus.turtle}\n"


@st.composite
def cases(draw: st.DrawFn, family: str) -> Case:
    """Cases of one family of constructs."""
    campus = draw(campuses())
    text = draw(FAMILIES[family](campus))
    content = draw(streams(campus))
    return Case(campus, text, content)


@st.composite
def pattern_cases(draw: st.DrawFn, kind: str) -> Case:
    """Cases of one family of patterns."""
    campus, sketch = draw(campuses()), draw(sketches(kind))
    text = draw(pattern_queries(campus, kind, sketch))
    return Case(campus, text, draw(streams(campus, sketch.longest)))


@st.composite
def bounded_cases(draw: st.DrawFn) -> Case:
    """Cases with WITHIN, registered somewhere in the streams."""
    family = draw(st.sampled_from([name for name in FAMILIES if name != "documents"]))
    return draw(bounded(cases(family)))


@st.composite
def bounded(draw: st.DrawFn, unbounded: st.SearchStrategy[Case]) -> Case:
    """The same questions with WITHIN."""
    case = draw(unbounded)
    at = None if draw(st.integers(0, 3)) == 0 else moment(draw(st.sampled_from((-5, 1, 2.5, 4, 6, 30))))
    return Case(case.campus, draw(within(case.text)), case.streams, at)


@st.composite
def within(draw: st.DrawFn, text: str) -> str:
    """A query with WITHIN."""
    return _with_bounds(text, draw(_bounds()))


@st.composite
def looking_back(draw: st.DrawFn, text: str) -> str:
    """A query with a WITHIN that begins before the registration, if there is something before it."""
    back = st.sampled_from((0.5, 1, 2, 3.5, 6, 60)).map(lambda s: _from_now(-s))
    lower = draw(st.one_of(st.just(""), st.just(""), back, back, st.sampled_from((-6, 0, 1)).map(_at)))
    ahead = st.sampled_from((0, 1, 2, 3.5, 60)).map(_from_now)
    upper = draw(st.one_of(st.just(""), st.just(""), ahead, st.sampled_from((2, 3.5, 6)).map(_at)))
    return _with_bounds(text, f"{draw(st.sampled_from('(['))}{lower}, {upper}{draw(st.sampled_from(')]'))}")


def _with_bounds(text: str, bounds: str) -> str:
    before, word, after = _cut_at_where(text)
    return f"{before}\nWITHIN {bounds}\n{word}{after}"


def _cut_at_where(text: str) -> tuple[str, str, str]:
    """A query cut where WITHIN belongs: behind SELECT and FROM."""
    lines = text.split("\n")
    head = 2 if len(lines) > 1 and lines[1].startswith("FROM") else 1
    return "\n".join(lines[:head]), "", "\n".join(lines[head:])


@st.composite
def _bounds(draw: st.DrawFn) -> str:
    seconds = st.sampled_from((-6, -2, -1, 0, 1, 2, 3.5, 6))
    forms = st.sampled_from((_nowhere, _from_now, _at))
    low = draw(seconds)
    high = low + draw(st.sampled_from((0.5, 1, 2, 3.5, 6)))
    lower, upper = draw(forms)(low), draw(forms)(high)
    return f"{draw(st.sampled_from('(['))}{lower}, {upper}{draw(st.sampled_from(')]'))}"


def _nowhere(_: float) -> str:
    return ""


def _from_now(seconds: float) -> str:
    return f"now {'-' if seconds < 0 else '+'} {abs(seconds)}s" if seconds else "now"


def _at(seconds: float) -> str:
    return moment(seconds).isoformat().replace("+00:00", "Z")


def difference(actual: Rows, expected: Rows, tolerance: float = 1e-12) -> str | None:
    """Where two answers differ, ids of rows aside; `None` when they do not, nor report a row twice."""
    if len(actual) != len(expected):
        return f"{len(actual)} rows instead of {len(expected)}:\n{_shown(actual)}\ninstead of\n{_shown(expected)}"
    for position, (one, other) in enumerate(zip(actual, expected, strict=True)):
        if not _same(_without_id(one), _without_id(other), tolerance):
            return f"row {position} of\n{_shown(actual)}\ndiffers from\n{_shown(expected)}"
    ids = [row["_id"] for row in actual]
    return None if len(ids) == len(set(ids)) else f"an _id stands twice in\n{_shown(actual)}"


def _without_id(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "_id"}


def _shown(rows: Rows) -> str:
    return pformat([dict(row) for row in rows], width=180, sort_dicts=False)


def _same(one: object, other: object, tolerance: float) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[k], other[k], tolerance) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return one == other
