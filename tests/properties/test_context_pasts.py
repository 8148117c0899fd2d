"""Contexts over the past: however it is answered, and whoever was away, the rows are those of one that always ran."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from kaicep.errors import PlanError
from support.cases import difference
from support.context_families import FAMILIES, contexts_oracle, contexts_project
from support.context_pasts import ContextPast, context_past
from support.context_rows import plain
from support.quick_archives import quick_archives
from support.sampling import some_of

BUCKET = "10s"


@pytest.fixture(scope="module", autouse=True)
def _quickly() -> Iterator[None]:
    with quick_archives():
        yield


def agree(past: ContextPast) -> Sequence[Mapping[str, Any]]:
    """The rows that the oracle, a live engine and engines with the past in an archive have all the same."""
    one, project = past.case, contexts_project(past.case.lateness)
    expected = contexts_oracle(one.lateness).evaluate(one.text, one.streams, past.at)
    live = project.evaluate(one.text, one.streams, registered_at=past.at)
    found = difference([plain(row) for row in live], [plain(row) for row in expected])
    assert found is None, f"live, {past}{found}"
    for strategy in ("replay", "hybrid", "rewrite"):
        with contextlib.suppress(PlanError) if strategy == "rewrite" else contextlib.nullcontext():
            rows = project.evaluate(
                one.text, one.streams, strategy=strategy, registered_at=past.at, overlap=past.overlap,
                in_flight=past.in_flight, outage=past.down, snapshots=past.snapshots,
            )  # fmt: skip
            found = difference(rows, live)
            assert found is None, f"{strategy}, {past}{found}"
            assert [row["_id"] for row in rows] == [row["_id"] for row in live]
    return live


@pytest.mark.parametrize("family", some_of(FAMILIES, 4))
def test_the_past_is_the_same_however_it_is_answered(family: str) -> None:
    assert any(agree(context_past(family, seed)) for seed in range(9)), "none of the cases has rows"


@pytest.mark.parametrize(
    ("family", "seed", "what"),
    some_of(
        [
            ("aggregates", 12, "a window of the default that begins with the bound of its set"),
            ("derived", 23, "a deriving query over events before the bound of its set"),
            ("nested", 148, "sets with other bounds: each bounds its own windows"),
            ("calendars", 197, "a window of the default that a calendar began before the bound of its set"),
            ("aggregates", 1192, "a window of an aggregate that ends behind the upper bound of its set"),
            ("aggregates", 1236, "a lost state of windows that end behind WITHIN, and were reported"),
            ("calendars", 306, "a pattern in a window that a calendar began before the bound of its set"),
            ("negations", 295, "an absence that holds behind the upper bound of its set"),
            ("chain", 48, "a set with a past, one of whose streams has no event yet"),
        ],
        2,
    ),
)
def test_what_random_cases_have_found(family: str, seed: int, what: str) -> None:
    assert agree(context_past(family, seed)), what


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_the_past_is_the_same_in_the_long_run(family: str) -> None:
    answers = [agree(context_past(family, seed)) for seed in range(2000)]
    assert sum(map(bool, answers)) >= 0.6 * len(answers), "few of the cases have rows"
