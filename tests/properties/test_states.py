"""States on demand: at random moments the engine holds the partial matches and the windows that the oracle does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from kaicep import Project
from kaicep.errors import QueryTypeError
from oracle.evaluate import Oracle
from support import change_queries, context_families, mode_queries, rule_queries, timer_queries
from support.cases import KINDS, Case, bounded_cases, cases, pattern_cases
from support.context_families import contexts_oracle, contexts_project
from support.engines import oracle_of, project_of
from support.mode_queries import MODES, in_contexts
from support.queries import FAMILIES as QUERIES
from support.sampling import some_of
from support.state_comparison import StateQuestion, agree_about_states, document_of, refusal
from support.timer_queries import FAMILIES as TIMERS
from support.tuples import moment

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
FAMILIES = (*QUERIES, "bounds")
RULES = [name for name in rule_queries.FAMILIES if name != "calls"]
"""Those of `calls` are asked of single events, in no context: they hold nothing."""
OF_MODES = Project.parse(mode_queries.CONTENT), Oracle(mode_queries.CONTENT)
OF_CHANGES = Project.parse(change_queries.CONTENT), Oracle(change_queries.CONTENT)
OF_TIMERS = Project.parse(timer_queries.CONTENT), Oracle(timer_queries.CONTENT)
Streams = Mapping[str, list[dict[str, Any]]]
Maker = Callable[[str, int], tuple[Project, Oracle, str, Streams]]
moments = st.sampled_from((-1.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 5.5, 8.0, 30.0)).map(moment)
cuts = st.none() | st.integers(0, 1_000_000)


def cases_of(family: str) -> st.SearchStrategy[Case]:
    """Cases of a family; those with WITHIN as if they were registered before the first event."""
    return bounded_cases() if family == "bounds" else cases(family)


def agree(case: Case, at: datetime, cut: int | None) -> int:
    """Ask both for the state of a query, of each of its variables, and for its partial matches; how many are held.

    Args:
        case: the query and the streams.
        at: the moment.
        cut: how the streams are cut into batches, and where it is gone on from a snapshot; `None`: all come at once.
    """
    project, oracle = project_of(case.campus.seed), oracle_of(case.campus.seed)
    streams = {name: own[:6] for name, own in case.streams.items()}  # states are many
    document = document_of(case.text)
    refused = refusal(project, document)
    if refused is not None:
        assert "nothing can be asked" in refused or "of different types" in refused
        reject()
    return agree_about_states(
        StateQuestion(project, oracle, document, streams, at), None if cut is None else Random(cut)
    )


def mode_case(mode: str, seed: int) -> tuple[Project, Oracle, str, Streams]:
    """A random query in a mode, sometimes in contexts."""
    rng = Random(f"mode {mode} {seed}")
    text = mode_queries.query(mode, rng, most=rng.choice((2, 2, 3)))
    return *OF_MODES, in_contexts(text, rng) if rng.random() < 0.4 else text, mode_queries.events(rng)


def timer_case(family: str, seed: int) -> tuple[Project, Oracle, str, Streams]:
    """A random query with timers, sometimes over rows of another, in contexts or beside other variables."""
    rng = Random(f"timers {family} {seed}")
    return *OF_TIMERS, TIMERS[family](rng), {name: own[:8] for name, own in timer_queries.events(rng).items()}


def change_case(family: str, seed: int) -> tuple[Project, Oracle, str, Streams]:
    """A random query with a window by condition, or of changes."""
    rng = Random(f"changes {family} {seed}")
    return *OF_CHANGES, change_queries.FAMILIES[family](rng), {"S": change_queries.readings(rng)}


def rule_case(family: str, seed: int) -> tuple[Project, Oracle, str, Streams]:
    """A random query beside rules, over what they emit, or in contexts that they change."""
    rng = Random(f"rules {family} {seed}")
    return *OF_MODES, rule_queries.rules(family, rng), rule_queries.events(rng)


def context_case(family: str, seed: int) -> tuple[Project, Oracle, str, Streams]:
    """A random query in contexts."""
    case = context_families.case(family, seed)
    return contexts_project(case.lateness), contexts_oracle(case.lateness), case.text, case.streams


def agree_about(make: Maker, family: str, seed: int) -> int:
    """The same at once or in batches with restores; how many events are held, and contexts hold."""
    project, oracle, text, streams = make(family, seed)
    document, rng = document_of(text), Random(f"{family} {seed}")
    try:
        project.compile(document)
    except QueryTypeError:  # a random query may never hold, or grow without bound
        return 0
    assert refusal(project, document) is None
    times = [datetime.fromisoformat(row["t"]) for own in streams.values() for row in own]
    at = rng.choice(sorted(times)) + timedelta(seconds=rng.choice((0, 0, 0.5, 1, 1, 2, 3, 5)))
    cut = rng if rng.random() < 0.5 else None
    return agree_about_states(StateQuestion(project, oracle, document, streams, at), cut)


FAMILIES_MADE = [
    *((mode_case, mode) for mode in MODES),
    *((timer_case, family) for family in TIMERS),
    *((change_case, family) for family in change_queries.FAMILIES),
    *((rule_case, family) for family in RULES),
    *((context_case, family) for family in context_families.FAMILIES),
]
made = pytest.mark.parametrize(
    ("make", "family"),
    some_of(FAMILIES_MADE, 8),
    ids=[f"{make.__name__} {family}" for make, family in FAMILIES_MADE],
)


@settings(max_examples=3, deadline=None, suppress_health_check=SLOW)
@given(case=st.sampled_from(KINDS).flatmap(pattern_cases), at=moments, cut=cuts)
def test_states_of_patterns(case: Case, at: datetime, cut: int | None) -> None:
    agree(case, at, cut)


@settings(max_examples=3, deadline=None, suppress_health_check=SLOW)
@given(case=st.sampled_from(FAMILIES).flatmap(cases_of), at=moments, cut=cuts)
def test_states_of_families(case: Case, at: datetime, cut: int | None) -> None:
    agree(case, at, cut)


@made
def test_states_of_modes_timers_changes_and_contexts(make: Maker, family: str) -> None:
    for seed in range(2):
        agree_about(make, family, seed)


@pytest.mark.long
@made
def test_states_of_modes_timers_changes_and_contexts_in_the_long_run(make: Maker, family: str) -> None:
    assert sum(agree_about(make, family, seed) for seed in range(2000)) > 50


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_states_of_patterns_in_the_long_run(kind: str, data: st.DataObject) -> None:
    agree(data.draw(pattern_cases(kind)), data.draw(moments, label="at"), data.draw(cuts, label="cut"))


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_states_of_families_in_the_long_run(family: str, data: st.DataObject) -> None:
    agree(data.draw(cases_of(family)), data.draw(moments, label="at"), data.draw(cuts, label="cut"))
