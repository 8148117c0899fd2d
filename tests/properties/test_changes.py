"""Windows by condition and changes: on random queries and streams the engine equals the oracle, however it is cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from kaicep import Project
from kaicep.errors import QueryTypeError
from oracle.evaluate import Oracle
from support.cases import difference
from support.change_queries import CONTENT, FAMILIES, readings
from support.context_examples import Example, examples
from support.dataflows import answered

PROJECT, ORACLE = Project.parse(CONTENT), Oracle(CONTENT)


@pytest.mark.parametrize("example", examples("change_examples"), ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    rows = list(Project.parse(example.content).evaluate(example.text, example.streams))
    assert example.shown(rows)[0] == example.rows
    assert example.shown(Oracle(example.content).evaluate(example.text, example.streams))[0] == example.rows


def is_bounded(text: str) -> bool:
    """Whether a query is accepted; what is refused could grow without bound."""
    try:
        PROJECT.compile(text)
    except QueryTypeError as error:
        if "without bound" in str(error):
            return False
        raise
    return True


def agree(family: str, seed: int) -> Sequence[Mapping[str, Any]] | None:
    """The engine's rows, which are the oracle's, whole and in batches with restores; `None`: it is refused."""
    rng = Random(f"{family} {seed}")
    text, rows = FAMILIES[family](rng), readings(rng)
    if not is_bounded(text):
        return None
    expected = ORACLE.evaluate(text, {"S": rows})
    actual = list(PROJECT.evaluate(text, {"S": rows}))
    found = difference(actual, expected)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\n{found}"
    cut, rest = [], rows
    while rest:
        size = rng.randint(0, 6)
        cut.append({"S": rest[:size]})
        rest = rest[size:]
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    found = difference(answered(PROJECT, text, cut, resumed), actual, 0)
    assert found is None, f"{family} {seed}\n{text}\n{rows}\nresumed after {resumed} of {cut}\n{found}"
    return actual


@pytest.mark.parametrize("group", ["", " GROUP BY ?e.k"])
def test_prev_is_the_value_at_the_candidate_before(group: str) -> None:
    for seed in range(5):
        streams = {"S": readings(Random(seed))}
        known = list(PROJECT.evaluate("SELECT ?e.k, ?e.x FROM (?e, S) FILTER (?e.x != 2)", streams))
        before: dict[object, Any] = {}
        expected = []
        for row in known:
            expected.append(before.get(row["k"] if group else None))
            before[row["k"] if group else None] = row["x"]
        text = f"SELECT PREV(?e.x) AS was FROM (?e, S) FILTER (?e.x != 2){group}"
        found = list(PROJECT.evaluate(text, streams))
        assert [row["was"] for row in found] == expected
        assert found == list(PROJECT.evaluate(text.replace("PREV", "OLD"), streams))
        assert difference(found, ORACLE.evaluate(text, streams)) is None


@pytest.mark.parametrize("seed", [700006, 700022])
def test_a_window_by_condition_of_a_group_needs_no_aggregate(seed: int) -> None:
    """Its rows are those whose windows are not empty; GROUP BY was refused there."""
    assert agree("checked", seed)


families = pytest.mark.parametrize("family", FAMILIES)


@families
def test_engine_equals_oracle(family: str) -> None:
    answers = [agree(family, seed) for seed in range(4)]
    assert sum(map(bool, answers)) > 1


@pytest.mark.long
@families
def test_engine_equals_oracle_in_the_long_run(family: str) -> None:
    answers = [agree(family, seed) for seed in range(2000)]
    assert sum(map(bool, answers)) > 1000
