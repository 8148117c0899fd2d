"""One stream from the past to the future: its answer is that of one live engine that was always there.

However a query's past is answered, and whoever was away meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, assume, given, settings
from kaicep import Project
from kaicep.errors import PlanError
from support.cases import Case, difference
from support.engines import project_of
from support.pasts import Past, answerable, pasts, rewritable_pasts
from support.quick_archives import quick_archives

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
BUCKET = timedelta(seconds=2)
Strategy = Literal["replay", "rewrite", "hybrid"] | None


@pytest.fixture(scope="module", autouse=True)
def _quickly() -> Iterator[None]:
    with quick_archives():
        yield


def project(seed: int) -> Project:
    """The campus with buckets that a stream of a few seconds has several of."""
    made = project_of(seed)
    archive = made.settings.archive.model_copy(update={"bucket": BUCKET})
    return replace(made, settings=made.settings.model_copy(update={"archive": archive}))


def agree(past: Past, *strategies: Strategy, refusing: bool = False) -> None:
    """Ask the live engine, and ones that have the past in their archives and may be interrupted.

    Args:
        past: the case.
        strategies: how the archives are asked.
        refusing: whether a strategy may say that it cannot; `tests/planner` holds which ones can.
    """
    case, asked = past.case, project(past.case.campus.seed)
    live = asked.evaluate(case.text, case.streams, registered_at=past.at)
    for strategy in strategies:
        with contextlib.suppress(PlanError) if refusing else contextlib.nullcontext():
            rows = asked.evaluate(
                case.text, case.streams, strategy=strategy, registered_at=past.at, overlap=past.overlap,
                in_flight=past.in_flight, outage=past.down, snapshots=past.snapshots,
            )  # fmt: skip
            _same(case, rows, live)


def _same(case: Case, rows: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]]) -> None:
    found = difference(rows, live, 1e-9 if "STDDEV" in case.text else 1e-12)
    assert found is None, found
    assert [row["_id"] for row in rows] == [row["_id"] for row in live]


@settings(max_examples=4, deadline=None, suppress_health_check=SLOW)
@given(past=rewritable_pasts())
def test_rows_do_not_depend_on_how_the_past_is_answered(past: Past) -> None:
    """Every strategy answers every one of these, with an outage in between in half of them."""
    assume(answerable(past))
    agree(past, "replay", "hybrid", "rewrite")


@settings(max_examples=4, deadline=None, suppress_health_check=SLOW)
@given(past=pasts())
def test_no_other_query_depends_on_it_either(past: Past) -> None:
    """What SPARQL cannot say, what looks ahead only, what reads the output of queries."""
    agree(past, "replay")
    agree(past, "hybrid", "rewrite", refusing=True)


@pytest.mark.long
@settings(max_examples=5000, deadline=None, suppress_health_check=SLOW)
@given(past=rewritable_pasts())
def test_rows_do_not_depend_on_how_the_past_is_answered_in_the_long_run(past: Past) -> None:
    assume(answerable(past))
    agree(past, "replay", "hybrid", "rewrite", None)


@pytest.mark.long
@settings(max_examples=5000, deadline=None, suppress_health_check=SLOW)
@given(past=pasts())
def test_no_other_query_depends_on_it_in_the_long_run_either(past: Past) -> None:
    agree(past, "replay", None)
    agree(past, "hybrid", "rewrite", refusing=True)
