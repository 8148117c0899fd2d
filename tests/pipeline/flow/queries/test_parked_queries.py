"""Parked queries: what is kept of them, and which go on together."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from kaicep import PipelineError
from kaicep.errors import CeilingError, Place
from kaicep.pipeline.flow import ParkedQueries, ParkedQuery, failure_of

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
FAILURE = CeilingError("too much", place=Place("query", 1, 3, 2, "SELECT"), hint="less")
PARKED = ParkedQuery("pairs", 7, FAILURE, "SELECT", MOMENT, None, "cause", 3, live=False, resuming=True)


def parked(*causes: tuple[str, str | None]) -> ParkedQueries:
    queries = ParkedQueries()
    for label, cause in causes:
        queries.add(replace(PARKED, label=label, cause=cause))
    return queries


def test_a_later_process_knows_the_same() -> None:
    queries, later = ParkedQueries(), ParkedQueries()
    queries.add(PARKED)
    later.restore({**queries.snapshot(), "progress": b"{}"})
    (found,) = later
    assert str(found.failure) == str(FAILURE)
    assert isinstance(found.failure, CeilingError)
    assert replace(found, failure=FAILURE) == PARKED


def test_what_stopped_a_query_goes_on_with_it_and_all_that_was_stopped_for_that() -> None:
    queries = parked(("a", None), ("b", "a"), ("c", "a"), ("d", "c"), ("e", None))
    assert [one.label for one in queries.together("d")] == ["a", "b", "c", "d"]
    assert [one.label for one in queries.together("e")] == ["e"]
    with pytest.raises(PipelineError, match="'f' is not parked: parked: a, b, c, d, e"):
        queries.together("f")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (FAILURE, "too much"),
        (MemoryError(), "'q' cannot be answered: memory ran out"),
        (RecursionError("too deep"), "'q' cannot be answered: RecursionError: too deep"),
        (KeyError(), "'q' cannot be answered: KeyError"),
    ],
)
def test_every_failure_is_told(error: BaseException, message: str) -> None:
    assert failure_of("q", error).message == message
