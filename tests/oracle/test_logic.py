"""With `->>` throughout runs find exactly what the pattern describes as logic (LANGUAGE §3, Runs)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.language.nodes.query import Query
from support.letters import moment, question

from .absences import Surroundings
from .events import Event
from .expressions import Candidate
from .logic import Solution, solutions
from .runs import Search
from .test_runs import checked

VARIABLES = "abcd"


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """A pattern of up to four variables, each in at most one place."""
    unused = list(draw(st.permutations(VARIABLES)))

    def pattern(depth: int) -> str:
        count = draw(st.integers(1, 3 if depth else 1))
        parts = [part(depth) for _ in range(count) if unused]
        return draw(st.sampled_from((", ", ", ", " ->> ", " AND ", " OR "))).join(parts)

    def part(depth: int) -> str:
        if depth and len(unused) > 1 and draw(st.booleans()):
            inner = pattern(depth - 1)
            return f"({inner}){draw(st.sampled_from(('', '', '+', '?', '{2}', '*')))}"
        return f"?{unused.pop()}{draw(st.sampled_from(('', '', '', '+', '?', '{2}', '*', '{1,2}')))}"

    return pattern(2)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(text=patterns(), times=st.lists(st.tuples(st.sampled_from(VARIABLES), st.integers(0, 4)), max_size=6))
def test_runs_with_any_links_are_the_logic(text: str, times: list[tuple[str, int]]) -> None:
    query = checked(question(text, "POLICY any", window=None), retention=timedelta(hours=1))
    assert query.pattern is not None
    events = [Event(f"{kind}{i}", moment(t), {}) for i, (kind, t) in enumerate(times)]
    own = {source.variable: [e for e in events if e.id[0] == source.variable] for source in query.sources}
    assert by_runs(query, own, events) == named(solutions(query.pattern, own))


def named(found: set[Solution]) -> set[str]:
    return {" ".join(f"{variable}:{event.id}" for variable, event in solution) for solution in found}


def by_runs(query: Query, own: dict[str, list[Event]], events: list[Event]) -> set[str]:
    assert query.pattern is not None
    candidates = {v: [Candidate(e) for e in some] for v, some in own.items()}
    around = Surroundings(query, candidates, sorted(events, key=lambda e: e.order))
    streams = dict.fromkeys((e.id for e in events), "letters")
    search = Search(around, query.pattern, dict.fromkeys(candidates, "letters"), streams, [])
    found = [[(t.variable, t.candidate.event) for t in ending.taken] for ending in search.endings()]
    return named({tuple(solution) for solution in found})
