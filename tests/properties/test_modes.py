"""Consumption modes: the examples of the language, and on random streams the engine equals the oracle."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from typing import Any, Literal

import pytest
from kaicep import Project
from oracle.evaluate import Oracle
from support.cases import difference
from support.context_examples import Example, examples
from support.dataflows import answered, cut_anywhere
from support.mode_queries import CONTENT, MODES, events, in_contexts, query
from support.sampling import some_of

PROJECT, ORACLE = Project.parse(CONTENT), Oracle(CONTENT)
EXAMPLES = [e for e in examples("event_examples") if "POLICY" in e.text]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    rows = list(Project.parse(example.content).evaluate(example.text, example.streams))
    assert example.shown(rows) == (example.rows, example.contexts)
    oracle = Oracle(example.content).evaluate(example.text, example.streams)
    assert example.shown(oracle) == (example.rows, example.contexts)


def agreed(text: str, rows: dict[str, list[dict[str, Any]]], rng: Random, case: str) -> int:
    """The engine's rows are the oracle's, whole and in batches with restores; how many there are."""
    expected = ORACLE.evaluate(text, rows)
    found = difference(list(PROJECT.evaluate(text, rows)), expected)
    assert found is None, f"{case}\n{text}\n{rows}\n{found}"
    cut = cut_anywhere(rows, rng)
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    found = difference(answered(PROJECT, text, cut, resumed), expected, 0)
    assert found is None, f"{case}\n{text}\n{rows}\nresumed after {resumed} of {cut}\n{found}"
    return len(expected)


def agree(mode: str, seed: int, most: int = 2) -> bool:
    """They are for a random query of a mode; whether there are any."""
    rng = Random(f"{mode} {seed} {most}")
    text, rows = query(mode, rng, most=most), events(rng, "abcd"[:most])
    return agreed(text, rows, rng, f"{mode} {seed}") > 0


@pytest.mark.parametrize("mode", MODES)
def test_engine_equals_oracle(mode: str) -> None:
    assert any(agree(mode, seed) for seed in range(10))


@pytest.mark.parametrize("mode", some_of(MODES[:2], 1))
def test_what_was_paired_waits_for_a_third(mode: str) -> None:
    assert any(agree(mode, seed, most=3) for seed in range(10))


def agree_in_contexts(mode: str, seed: int) -> int:
    """They are for one in contexts, with FOR and without; how many there are."""
    rng = Random(f"contexts {mode} {seed}")
    text = in_contexts(query(mode, rng, most=rng.choice((2, 2, 3))), rng)
    return agreed(text, events(rng), rng, f"{mode} {seed}")


@pytest.mark.parametrize("mode", some_of(MODES, 1))
def test_each_window_of_a_context_pairs_by_itself_and_for_is_asked_of_pairs(mode: str) -> None:
    assert any(agree_in_contexts(mode, seed) for seed in range(9))


@pytest.mark.parametrize("strategy", ["replay", "hybrid"])
def test_the_past_is_answered_as_if_it_came_live(strategy: Literal["replay", "hybrid"]) -> None:
    found = 0
    for seed in range(8):
        rng = Random(f"past {seed}")
        text, rows = query(MODES[seed % 4], rng), events(rng)
        text = text.replace(" WHERE", " WITHIN [now-6s, ) WHERE", 1)
        registered = datetime(2024, 1, 1, 0, 0, rng.randint(0, 15), tzinfo=UTC)
        expected = ORACLE.evaluate(text, rows, registered)
        actual = list(PROJECT.evaluate(text, rows, strategy=strategy, registered_at=registered))
        assert difference(actual, expected) is None, f"{text}\n{rows}\n{registered}"
        found += len(expected)
    assert found


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_engine_equals_oracle_in_the_long_run(mode: str) -> None:
    assert sum(agree(mode, seed) for seed in range(2000)) > 700
    assert sum(agree(mode, seed, most=4) for seed in range(1000)) > 150
    assert sum(agree_in_contexts(mode, seed) for seed in range(1000)) > 300
