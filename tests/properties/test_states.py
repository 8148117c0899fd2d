"""States on demand: at random moments the engine holds the partial matches and the windows that the oracle does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from kaicep.errors import QueryTypeError
from kaicep.language.checks import known_state
from oracle.asked import States, ask
from support.cases import KINDS, Case, cases, pattern_cases
from support.engines import oracle_of, project_of
from support.queries import FAMILIES as QUERIES
from support.tuples import moment

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
FAMILIES = [name for name in QUERIES if name != "documents"]
moments = st.sampled_from((-1.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 5.5, 8.0, 30.0)).map(moment)


def agree(case: Case, at: datetime) -> None:
    """Ask both for the state of a query, of each of its variables, and for its partial matches."""
    project, oracle = project_of(case.campus.seed), oracle_of(case.campus.seed)
    case = replace(case, streams={name: own[:6] for name, own in case.streams.items()})  # states are many
    text = case.text.replace("SELECT", "CREATE QUERY q AS SELECT", 1) + ";\n"
    (query,) = project.compile(text)
    try:
        project.compile(f"{text}SELECT COUNT(?x) AS n FROM (?x, STATE(q))", asked=True)
    except QueryTypeError as error:
        if "nothing can be asked" in str(error) or "of different types" in str(error):
            reject()
        raise
    for asked in ("", *(f".?{name}" for name in known_state(query).variables)):
        whole = f"{text}SELECT ?x FROM (?x, STATE(q{asked}))"
        rows = list(project.evaluate(whole, case.streams, ask_at=at))
        expected = ask(oracle, whole, case.streams, at)
        assert [(r["x"], r["_time"]) for r in rows] == [(r["x"], r["_time"]) for r in expected], (asked, at)
        assert all(row["_asked"] == at for row in rows)
    if query.kind != "aggregation":
        partials = "SELECT ?p._bound AS b, ?p._since AS s, ?p._until AS u FROM (?p, PARTIAL(q))"
        rows = list(project.evaluate(f"{text}{partials}", case.streams, ask_at=at))
        found = sorted(_shown((row["b"], row["s"], row["_time"], row["u"])) for row in rows)
        held = States(oracle, [query], case.streams, at).partials("q")
        assert found == sorted(
            _shown((" ".join(one.runs), one.events[0].event.time, one.events[-1].event.time, one.until)) for one in held
        ), at


def _shown(values: Sequence[object]) -> str:
    return " | ".join(map(str, values))


@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(case=st.sampled_from(KINDS).flatmap(pattern_cases), at=moments)
def test_states_of_patterns(case: Case, at: datetime) -> None:
    agree(case, at)


@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(case=st.sampled_from(FAMILIES).flatmap(cases), at=moments)
def test_states_of_families(case: Case, at: datetime) -> None:
    agree(case, at)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_states_of_patterns_in_the_long_run(kind: str, data: st.DataObject) -> None:
    agree(data.draw(pattern_cases(kind)), data.draw(moments, label="at"))


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_states_of_families_in_the_long_run(family: str, data: st.DataObject) -> None:
    agree(data.draw(cases(family)), data.draw(moments, label="at"))
