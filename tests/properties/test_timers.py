"""Timers: on random queries and streams the engine equals the oracle, however the streams are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from kaicep import Project
from kaicep.errors import QueryTypeError
from oracle.evaluate import Oracle
from support.cases import difference
from support.context_examples import Example, examples
from support.dataflows import answered
from support.timer_queries import CONTENT, FAMILIES, events
from support.tuples import Batch

PROJECT, ORACLE = Project.parse(CONTENT), Oracle(CONTENT)
TIMERS = ("after", "snoop-plus-fact", "every-until", "every-in-context")
REFUSED = (
    "without bound",
    "lies beyond the shortest WINDOW",
    "would begin or end in the past",
    "may be left out between",
)


@pytest.mark.parametrize("example", [e for e in examples("event_examples") if e.name in TIMERS], ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    rows = list(Project.parse(example.content).evaluate(example.text, example.streams))
    assert example.shown(rows) == (example.rows, example.contexts)
    oracle = Oracle(example.content).evaluate(example.text, example.streams)
    assert example.shown(oracle) == (example.rows, example.contexts)


def is_accepted(text: str) -> bool:
    """Whether a query is accepted; a random one may never hold, or grow without bound."""
    try:
        PROJECT.compile(text)
    except QueryTypeError as error:
        if any(reason in str(error) for reason in REFUSED):
            return False
        raise
    return True


def agree(family: str, seed: int) -> Sequence[Mapping[str, Any]] | None:
    """The engine's rows, which are the oracle's, whole and in batches with restores; `None`: it is refused."""
    rng = Random(f"{family} {seed}")
    text, rows = FAMILIES[family](rng), events(rng)
    if not is_accepted(text):
        return None
    expected = ORACLE.evaluate(text, rows)
    actual = list(PROJECT.evaluate(text, rows))
    found = difference(actual, expected)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\n{found}"
    cut: list[Batch] = []
    rest = dict(rows)
    while any(rest.values()):
        sizes = {name: rng.randint(0, 4) for name in rest}
        cut.append({name: own[: sizes[name]] for name, own in rest.items()})
        rest = {name: own[sizes[name] :] for name, own in rest.items()}
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    found = difference(answered(PROJECT, text, cut, resumed), expected, 0)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\nresumed after {resumed} of {cut}\n{found}"
    return actual


families = pytest.mark.parametrize("family", FAMILIES)


@families
def test_engine_equals_oracle(family: str) -> None:
    answers = [agree(family, seed) for seed in range(8)]
    assert sum(map(bool, answers)) > 1


@pytest.mark.long
@families
def test_engine_equals_oracle_in_the_long_run(family: str) -> None:
    answers = [agree(family, seed) for seed in range(2000)]
    assert sum(map(bool, answers)) > 700
