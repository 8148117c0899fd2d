"""How a stream is cut into batches, and where a run is stopped and resumed, never changes the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import Case, cases, difference
from support.dataflows import run
from support.engines import project_of
from support.queries import FAMILIES
from support.tuples import batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
families = pytest.mark.parametrize("family", FAMILIES)


def whole(case: Case) -> list[dict[str, Any]]:
    """The answer to the streams as one batch."""
    return list(project_of(case.campus.seed).evaluate(case.text, case.streams))


def invariant(data: st.DataObject, family: str) -> None:
    """Cut a case into batches, resume after some of them, and compare."""
    case = data.draw(cases(family))
    cut: Sequence[Mapping[str, Any]] = data.draw(batches(case.streams), label="batches")
    resumed = data.draw(st.sets(st.integers(0, len(cut))), label="resumed after so many batches")
    expected = whole(case)
    check(run(case, cut, set()), expected)
    if resumed:
        check(run(case, cut, resumed), expected)


def check(actual: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]) -> None:
    """Equal to the last bit, ids of rows included."""
    found = difference(actual, expected, 0)
    assert found is None, found
    assert [row["_id"] for row in actual] == [row["_id"] for row in expected]


@families
@settings(max_examples=3, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_batches_and_resumption_change_nothing(family: str, data: st.DataObject) -> None:
    invariant(data, family)


@pytest.mark.long
@families
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_batches_and_resumption_change_nothing_in_the_long_run(family: str, data: st.DataObject) -> None:
    invariant(data, family)
