"""A data flow in shards has, batch by batch, the rows of one in one place."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.cases import KINDS, Case, cases, pattern_cases
from support.engines import project_of
from support.queries import FAMILIES
from support.sharded import SideBySide, plan_of
from support.tuples import batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


LAST = None
def check(data: st.DataObject, case: Case) -> None:
    global LAST; LAST = case.text
    """Cut a case into batches, these into splits, and compare."""
    cut = data.draw(batches(case.streams), label="batches")
    rng = Random(data.draw(st.integers(0, 2**32), label="how batches are split"))
    with TemporaryDirectory() as folder:
        both = SideBySide(plan_of(project_of(case.campus.seed), case.text, rng.choice((1, 2, 3))), Path(folder), rng)
        for batch in cut:
            both.take(batch)
        both.take({}, ends=True)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_are_those_of_one_place(family: str, data: st.DataObject) -> None:
    check(data, data.draw(cases(family)))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=10, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_rows_of_patterns_are_those_of_one_place(kind: str, data: st.DataObject) -> None:
    check(data, data.draw(pattern_cases(kind)))
