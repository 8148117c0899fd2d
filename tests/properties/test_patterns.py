"""Patterns: on random projects, streams, patterns and cuts of the streams the engine answers as the oracle does."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import KINDS, Case, bounded, difference, pattern_cases
from support.dataflows import run
from support.engines import oracle_of, project_of
from support.tuples import few_batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
kinds = pytest.mark.parametrize("kind", KINDS)


def agree(data: st.DataObject, kind: str) -> None:
    """Ask the engine batch by batch, resumed from its snapshot after some, and the oracle all at once."""
    case: Case = data.draw(pattern_cases(kind))
    cut = data.draw(few_batches(case.streams), label="batches")
    resumed = data.draw(st.sets(st.integers(1, max(1, len(cut))), max_size=1), label="resumed after so many batches")
    found = difference(run(case, cut, resumed), oracle_of(case.campus.seed).evaluate(case.text, case.streams), 1e-9)
    assert found is None, found


@kinds
@settings(max_examples=2, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_engine_equals_oracle(kind: str, data: st.DataObject) -> None:
    agree(data, kind)


@pytest.mark.long
@kinds
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_engine_equals_oracle_in_the_long_run(kind: str, data: st.DataObject) -> None:
    agree(data, kind)


def agree_within_bounds(case: Case) -> None:
    """Ask both about the past, the present and the future."""
    seed, at = case.campus.seed, case.registered_at
    actual = project_of(seed).evaluate(case.text, case.streams, registered_at=at)
    found = difference(actual, oracle_of(seed).evaluate(case.text, case.streams, at), 1e-9)
    assert found is None, found


any_kind = st.sampled_from(KINDS).flatmap(pattern_cases)


@settings(max_examples=4, deadline=None, suppress_health_check=SLOW)
@given(case=bounded(any_kind))
def test_engine_equals_oracle_within_bounds(case: Case) -> None:
    agree_within_bounds(case)


@pytest.mark.long
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(case=bounded(any_kind))
def test_engine_equals_oracle_within_bounds_in_the_long_run(case: Case) -> None:
    agree_within_bounds(case)
