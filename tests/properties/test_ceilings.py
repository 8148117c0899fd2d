"""A ceiling never changes an answer: with a small one the engine equals the oracle, or says that the query is stopped.

It says so only of queries of which more matches become true with one event, whichever strategy answers them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep import Project
from kaicep.errors import CeilingError
from support.cases import KINDS, Case, bounded, cases, difference, pattern_cases
from support.engines import oracle_of, project_of

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def limited(seed: int, most: int) -> Project:
    """The campus with a ceiling."""
    project = project_of(seed)
    engine = project.settings.engine.model_copy(update={"matches_per_event": most})
    return replace(project, settings=project.settings.model_copy(update={"engine": engine}))


def agree(case: Case, most: int) -> None:
    """Ask both."""
    seed, at = case.campus.seed, case.registered_at
    oracle = oracle_of(seed)
    try:
        actual = limited(seed, most).evaluate(case.text, case.streams, registered_at=at)
    except CeilingError:
        assert oracle.densest(case.text, case.streams, at) > most
        return
    found = difference(actual, oracle.evaluate(case.text, case.streams, at), 1e-9)
    assert found is None, found


several = st.sampled_from(("sequences", "joins")).flatmap(cases)
any_kind = st.sampled_from(KINDS).flatmap(pattern_cases)
questions = st.one_of(several, any_kind, bounded(any_kind))


@settings(max_examples=6, deadline=None, suppress_health_check=SLOW)
@given(case=questions, most=st.integers(1, 4))
def test_a_query_below_its_ceiling_is_answered(case: Case, most: int) -> None:
    agree(case, most)


@pytest.mark.long
@settings(max_examples=5000, deadline=None, suppress_health_check=SLOW)
@given(case=questions, most=st.integers(1, 4))
def test_a_query_below_its_ceiling_is_answered_in_the_long_run(case: Case, most: int) -> None:
    agree(case, most)
