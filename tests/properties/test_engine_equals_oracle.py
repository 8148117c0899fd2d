"""The engine answers as docs/semantics.md says: on random projects, streams and queries it equals the oracle."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import Case, bounded_cases, cases, difference
from support.engines import oracle_of, project_of
from support.queries import FAMILIES

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
families = pytest.mark.parametrize("family", FAMILIES)


def agree(case: Case) -> None:
    """Ask both."""
    seed, at = case.campus.seed, case.registered_at
    actual = project_of(seed).evaluate(case.text, case.streams, registered_at=at)
    expected = oracle_of(seed).evaluate(case.text, case.streams, at)
    found = difference(actual, expected, 1e-9 if "STDDEV" in case.text else 1e-12)
    assert found is None, found


@families
@settings(max_examples=6, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_engine_equals_oracle(family: str, data: st.DataObject) -> None:
    agree(data.draw(cases(family)))


@pytest.mark.long
@families
@settings(max_examples=3000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_engine_equals_oracle_in_the_long_run(family: str, data: st.DataObject) -> None:
    agree(data.draw(cases(family)))


@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(case=bounded_cases())
def test_engine_equals_oracle_within_bounds(case: Case) -> None:
    agree(case)


@pytest.mark.long
@settings(max_examples=3000, deadline=None, suppress_health_check=SLOW)
@given(case=bounded_cases())
def test_engine_equals_oracle_within_bounds_in_the_long_run(case: Case) -> None:
    agree(case)
