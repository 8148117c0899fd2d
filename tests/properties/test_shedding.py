"""Queries that look at a sample of the events: engine and oracle choose the same ones, live and from the archive."""

from __future__ import annotations

from functools import cache
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep import Project
from oracle.evaluate import Oracle
from support.campus import campus
from support.cases import Case, bounded, cases, difference
from support.queries import FAMILIES

Strategy = Literal["replay", "hybrid", "rewrite"]
STRATEGIES: tuple[Strategy | None, ...] = (None, "replay", "hybrid", "rewrite")
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
SHED = {"queries": {f"query-{n}": {"shed": "sample 60%"} for n in range(1, 5)}}


@cache
def pair(seed: int) -> tuple[Project, Oracle]:
    content = {**campus(seed).settings, **SHED}
    return Project.parse(content), Oracle(content)


def agree(case: Case, strategy: Strategy | None = None) -> None:
    project, oracle = pair(case.campus.seed)
    at = case.registered_at
    actual = project.evaluate(case.text, case.streams, registered_at=at, strategy=strategy)
    found = difference(actual, oracle.evaluate(case.text, case.streams, at), 1e-9 if "STDDEV" in case.text else 1e-12)
    assert found is None, found


@settings(max_examples=4, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_engine_and_oracle_shed_alike(data: st.DataObject) -> None:
    agree(data.draw(cases(data.draw(st.sampled_from([*FAMILIES])))))


@settings(max_examples=4, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_the_archive_sheds_what_the_live_stream_has_shed(data: st.DataObject) -> None:
    case = data.draw(bounded(cases(data.draw(st.sampled_from([name for name in FAMILIES if name != "documents"])))))
    agree(case, data.draw(st.sampled_from(STRATEGIES)))


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=1000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_engine_and_oracle_shed_alike_in_the_long_run(family: str, data: st.DataObject) -> None:
    agree(data.draw(cases(family)))
