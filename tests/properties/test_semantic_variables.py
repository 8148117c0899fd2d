"""What PATHs bind, used in every other clause: the engine gives what the oracle gives."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.campus import campuses
from support.cases import Case, difference
from support.engines import oracle_of, project_of
from support.semantic_queries import FAMILIES
from support.tuples import streams

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@st.composite
def _cases(draw: st.DrawFn, family: str) -> Case:
    campus = draw(campuses())
    return Case(campus, draw(FAMILIES[family]), draw(streams(campus)))


def _agree(case: Case) -> None:
    actual = project_of(case.campus.seed).evaluate(case.text, case.streams)
    expected = oracle_of(case.campus.seed).evaluate(case.text, case.streams, None)
    found = difference(actual, expected, 1e-12)
    assert found is None, found


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=5, deadline=None, suppress_health_check=_SLOW)
@given(data=st.data())
def test_semantic_variables_mean_what_the_language_says(family: str, data: st.DataObject) -> None:
    _agree(data.draw(_cases(family)))


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=2000, deadline=None, suppress_health_check=_SLOW)
@given(data=st.data())
def test_semantic_variables_in_the_long_run(family: str, data: st.DataObject) -> None:
    _agree(data.draw(_cases(family)))
