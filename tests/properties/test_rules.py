"""Rules: the examples of the language; on random streams the engine calls and emits what the oracle does.

However the streams are cut into batches, wherever it is stopped, and also where the rows are of the past.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from random import Random
from typing import Any, Literal

import pytest
from kaicep import Project
from oracle.evaluate import Oracle
from support.cases import difference
from support.context_examples import Example, examples
from support.dataflows import answered_with_calls, cut_anywhere
from support.quick_archives import quick_archives
from support.rule_queries import CONTENT, FAMILIES, events, rules
from support.sampling import some_of

PROJECT, ORACLE = Project.parse(CONTENT), Oracle(CONTENT)
EXAMPLES = [example for example in examples("event_examples") if "CREATE RULE" in example.text]
Strategy = Literal["replay"] | None


@pytest.fixture(scope="module", autouse=True)
def _quickly() -> Iterator[None]:
    with quick_archives():
        yield


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_an_example_has_its_rows_and_calls(example: Example) -> None:
    found = Project.parse(example.content).evaluate(example.text, example.streams)
    assert example.shown(list(found)) == (example.rows, example.contexts)
    assert example.shown_calls(found.calls) == example.calls
    assert example.shown_calls(Oracle(example.content).calls(example.text, example.streams)) == example.calls


def same_calls(found: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]], said: str) -> None:
    assert list(found) == list(expected), f"{said}\n{list(found)}\ninstead of\n{list(expected)}"


def agree(family: str, seed: int) -> bool:
    """Rows and calls of the engine are the oracle's, whole and in batches with restores; whether there are any."""
    rng = Random(f"{family} {seed}")
    text, rows = rules(family, rng), events(rng)
    said = f"{family} {seed}\n{text}\n{rows}"
    expected, calls = ORACLE.evaluate(text, rows), ORACLE.calls(text, rows)
    found = PROJECT.evaluate(text, rows)
    missed = difference(list(found), expected)
    assert missed is None, f"{said}\n{missed}"
    same_calls(found.calls, calls, said)
    cut = cut_anywhere(rows, rng)
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    in_batches, called = answered_with_calls(PROJECT, text, cut, resumed)
    missed = difference(in_batches, expected, 0)
    assert missed is None, f"{said}\nresumed after {resumed} of {cut}\n{missed}"
    by_row = itemgetter("_time", "rule", "_id")  # in each batch by their order
    same_calls(sorted(called, key=by_row), sorted(calls, key=by_row), f"{said}\nresumed after {resumed} of {cut}")
    return bool(expected or calls)


def agree_past(family: str, seed: int, strategy: Strategy, *, outage: bool = False) -> bool:
    """The same where the rules are registered in the middle of the streams, by a strategy."""
    rng = Random(f"past {family} {seed}")
    text, rows = rules(family, rng), events(rng)
    text = text.replace(" WHERE", " WITHIN [now-6s, ) WHERE") if rng.random() < 0.7 else text
    start = datetime(2024, 1, 1, tzinfo=UTC)
    registered = start + timedelta(seconds=rng.randint(0, 15))
    said = f"past {family} {seed} {strategy} {registered} {outage}\n{text}\n{rows}"
    expected, calls = ORACLE.evaluate(text, rows, registered), ORACLE.calls(text, rows, registered)
    since = start + timedelta(seconds=rng.randint(0, 12))
    down = (since, since + timedelta(seconds=rng.randint(0, 6))) if outage else None
    found = PROJECT.evaluate(
        text, rows, strategy=strategy, registered_at=registered, outage=down, snapshots=rng.random() < 0.5
    )
    missed = difference(list(found), expected)
    assert missed is None, f"{said} {down}\n{missed}"
    by_row = itemgetter("_time", "rule", "_id")
    same_calls(sorted(found.calls, key=by_row), sorted(calls, key=by_row), f"{said} {down}")
    return bool(expected or calls)


@pytest.mark.parametrize(("bounds", "found"), [("", []), (" WITHIN [now-6s, )", ["after"])])
def test_rows_of_the_past_change_contexts_within_the_bounds_of_these(bounds: str, found: list[str]) -> None:
    """A rule does what a deriving query would: before the lower bound there is no history (LANGUAGE-2, section 6)."""
    text = f"""
    CREATE CONTEXTS c (calm DEFAULT, cold) BY p{bounds};
    CREATE QUERY q AS SELECT ?a.p FROM (?a, S) WITHIN [now-6s, ) WHERE {{ FILTER (?a.x > 0) }};
    CREATE RULE r ON q DO INITIATE CONTEXT cold;
    SELECT ?e.id FROM (?e, S) IN CONTEXT cold
    """
    start = datetime(2024, 1, 1, tzinfo=UTC)
    moments = {"before": timedelta(seconds=4), "after": timedelta(seconds=12)}
    said = [{"id": name, "t": (start + at).isoformat(), "k": "a", "p": 1, "x": 1} for name, at in moments.items()]
    registered = start + timedelta(seconds=9)
    for rows in (
        ORACLE.evaluate(text, {"S": said, "T": []}, registered),
        PROJECT.evaluate(text, {"S": said, "T": []}, registered_at=registered),
        PROJECT.evaluate(text, {"S": said, "T": []}, registered_at=registered, strategy="replay"),
    ):
        assert [row["id"] for row in rows] == found


@pytest.mark.parametrize("family", some_of(FAMILIES, 4))
def test_engine_equals_oracle(family: str) -> None:
    assert sum(agree(family, seed) for seed in range(2)) > 0


@pytest.mark.parametrize("family", some_of(FAMILIES, 4))
def test_the_past_is_answered_as_if_it_came_live(family: str) -> None:
    assert sum(agree_past(family, seed, "replay") for seed in range(2))
    assert sum(agree_past(family, seed, None) for seed in range(3, 4)) >= 0
    assert sum(agree_past(family, seed, "replay", outage=True) for seed in range(5, 6)) >= 0
