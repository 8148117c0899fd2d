"""One stream from the past to the future: however a query's past is answered, its rows are those of one live engine."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.errors import PlanError
from kaicep.pipeline.project import Project
from support.cases import Case, bounded_cases, cases, difference
from support.engines import project_of
from support.tuples import moment

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
MEMORY = Path("/dev/shm")  # noqa: S108 - thousands of archives are made, and none has to survive
BUCKET = timedelta(seconds=2)
Strategy = Literal["replay", "rewrite", "hybrid"] | None


@pytest.fixture(autouse=True)
def _archives_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(MEMORY) if MEMORY.is_dir() else gettempdir())


@dataclass(frozen=True)
class Seam:
    """Where a query is registered, and what archive and live stream have in common or lack there."""

    case: Case
    at: datetime
    overlap: timedelta
    in_flight: timedelta


@dataclass(frozen=True)
class Outage(Seam):
    """A seam, and a time in which no engine runs; the seam's gaps are at both its ends."""

    down: tuple[datetime, datetime]
    snapshots: bool


@st.composite
def seams(draw: st.DrawFn) -> Seam:
    """Queries with WITHIN, and documents, registered in the middle of their streams."""
    case = draw(bounded_cases() if draw(st.integers(0, 9)) else cases("documents"))
    seconds = st.sampled_from((0, 0, 0.5, 1, 3, 60)).map(lambda s: timedelta(seconds=s))
    at = case.registered_at or moment(draw(st.sampled_from((1, 2.5, 4, 6, 9, 30))))
    return Seam(case, at, draw(seconds), draw(seconds))


@st.composite
def outages(draw: st.DrawFn) -> Outage:
    """Outages before, around and after the registration."""
    seam = draw(seams())
    down = sorted(draw(st.sampled_from((0, 1, 2.5, 4, 5, 6, 9, 30))) for _ in range(2))
    moments = (moment(down[0]), moment(down[1]))
    return Outage(seam.case, seam.at, seam.overlap, seam.in_flight, moments, draw(st.booleans()))


def project(seed: int) -> Project:
    """The campus with buckets that a stream of a few seconds has several of."""
    made = project_of(seed)
    archive = made.settings.archive.model_copy(update={"bucket": BUCKET})
    return replace(made, settings=made.settings.model_copy(update={"archive": archive}))


def agree(seam: Seam, *strategies: Strategy) -> None:
    """Ask the live engine, and ones that have the past in their archives."""
    case, asked = seam.case, project(seam.case.campus.seed)
    live = asked.evaluate(case.text, case.streams, registered_at=seam.at)
    for strategy in strategies:
        with contextlib.suppress(PlanError) if strategy in ("rewrite", "hybrid") else contextlib.nullcontext():
            rows = asked.evaluate(
                case.text, case.streams, strategy=strategy, registered_at=seam.at,
                overlap=seam.overlap, in_flight=seam.in_flight,
            )  # fmt: skip
            _same(case, rows, live)


def _same(case: Case, rows: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]]) -> None:
    found = difference(rows, live, 1e-9 if "STDDEV" in case.text else 1e-12)
    assert found is None, found
    assert [row["_id"] for row in rows] == [row["_id"] for row in live]


@settings(max_examples=200, deadline=None, suppress_health_check=SLOW)
@given(seam=seams())
def test_rows_do_not_depend_on_how_the_past_is_answered(seam: Seam) -> None:
    """A strategy that cannot answer a query says so; `test_strategies.py` holds which ones each can."""
    agree(seam, "replay", "hybrid", "rewrite")


@pytest.mark.long
@settings(max_examples=5000, deadline=None, suppress_health_check=SLOW)
@given(seam=seams())
def test_rows_do_not_depend_on_how_the_past_is_answered_in_the_long_run(seam: Seam) -> None:
    agree(seam, "replay", "hybrid", "rewrite", None)


def recover(outage: Outage, *strategies: Strategy) -> None:
    """Ask the live engine, and ones that are interrupted."""
    case, asked = outage.case, project(outage.case.campus.seed)
    live = asked.evaluate(case.text, case.streams, registered_at=outage.at)
    for strategy in strategies:
        with contextlib.suppress(PlanError) if strategy in ("rewrite", "hybrid") else contextlib.nullcontext():
            rows = asked.evaluate(
                case.text, case.streams, strategy=strategy, registered_at=outage.at, overlap=outage.overlap,
                in_flight=outage.in_flight, outage=outage.down, snapshots=outage.snapshots,
            )  # fmt: skip
            _same(case, rows, live)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(outage=outages())
def test_rows_do_not_depend_on_outages(outage: Outage) -> None:
    """An engine ends, an archiver goes on, another engine comes: with the operators' snapshots or without."""
    recover(outage, "replay")


@pytest.mark.long
@settings(max_examples=1000, deadline=None, suppress_health_check=SLOW)
@given(outage=outages())
def test_rows_do_not_depend_on_outages_in_the_long_run(outage: Outage) -> None:
    recover(outage, "replay", "hybrid", "rewrite", None)
