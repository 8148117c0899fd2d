"""States on demand: at random moments the engine holds the partial matches and the windows that the oracle does."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from kaicep import Project
from kaicep.errors import QueryTypeError
from oracle.evaluate import Oracle
from support import mode_queries, timer_queries
from support.cases import KINDS, Case, cases, pattern_cases
from support.context_families import FAMILIES as CONTEXT_FAMILIES
from support.context_families import case as context_case
from support.context_families import contexts_oracle, contexts_project
from support.engines import oracle_of, project_of
from support.mode_queries import MODES
from support.mode_queries import events as mode_events
from support.mode_queries import query as mode_query
from support.queries import FAMILIES as QUERIES
from support.state_comparison import StateQuestion, agree_about_states, document_of, refusal
from support.timer_queries import FAMILIES as TIMERS
from support.timer_queries import events as timer_events
from support.tuples import moment

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
FAMILIES = [name for name in QUERIES if name != "documents"]
CONTEXTS = [name for name in CONTEXT_FAMILIES if name != "changes"]
OF_MODES = Project.parse(mode_queries.CONTENT), Oracle(mode_queries.CONTENT)
OF_TIMERS = Project.parse(timer_queries.CONTENT), Oracle(timer_queries.CONTENT)
moments = st.sampled_from((-1.0, 0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 5.5, 8.0, 30.0)).map(moment)


def agree(case: Case, at: datetime) -> None:
    """Ask both for the state of a query, of each of its variables, and for its partial matches."""
    project, oracle = project_of(case.campus.seed), oracle_of(case.campus.seed)
    streams = {name: own[:6] for name, own in case.streams.items()}  # states are many
    document = document_of(case.text)
    refused = refusal(project, document)
    if refused is not None:
        assert "nothing can be asked" in refused or "of different types" in refused
        reject()
    agree_about_states(StateQuestion(project, oracle, document, streams, at))


def agree_about(family: str, seed: int) -> int:
    """The same of a random query in a mode, with timers or in contexts, at once or in batches; how many events."""
    rng = Random(f"{family} {seed}")
    if family in CONTEXTS:
        case = context_case(family, seed)
        project, oracle = contexts_project(case.lateness), contexts_oracle(case.lateness)
        text, streams = case.text, case.streams
    elif family in MODES:
        project, oracle = OF_MODES
        text, streams = mode_query(family, rng, most=rng.choice((2, 2, 3))), mode_events(rng)
    else:
        project, oracle = OF_TIMERS
        text, streams = TIMERS[family](rng), {name: own[:8] for name, own in timer_events(rng).items()}
    document = document_of(text)
    try:
        project.compile(document)
    except QueryTypeError:  # a random query may never hold, or grow without bound
        return 0
    assert refusal(project, document) is None
    times = [datetime.fromisoformat(row["t"]) for own in streams.values() for row in own]
    at = rng.choice(sorted(times)) + timedelta(seconds=rng.choice((0, 0, 0.5, 1, 1, 2, 3, 5)))
    cut = rng if rng.random() < 0.5 else None
    return agree_about_states(StateQuestion(project, oracle, document, streams, at), cut)


@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(case=st.sampled_from(KINDS).flatmap(pattern_cases), at=moments)
def test_states_of_patterns(case: Case, at: datetime) -> None:
    agree(case, at)


@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(case=st.sampled_from(FAMILIES).flatmap(cases), at=moments)
def test_states_of_families(case: Case, at: datetime) -> None:
    agree(case, at)


@pytest.mark.parametrize("family", [*MODES, *TIMERS, *CONTEXTS])
def test_states_of_modes_timers_and_contexts(family: str) -> None:
    assert sum(agree_about(family, seed) for seed in range(6)) >= 0


@pytest.mark.long
@pytest.mark.parametrize("family", [*MODES, *TIMERS, *CONTEXTS])
def test_states_of_modes_timers_and_contexts_in_the_long_run(family: str) -> None:
    assert sum(agree_about(family, seed) for seed in range(2000)) > 50


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
