"""Contexts: on random documents the engine equals the oracle, however the streams are cut and where it resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from kaicep import Project
from support.cases import difference
from support.context_examples import Example, examples
from support.context_families import FAMILIES, ContextCase, case, contexts_oracle, contexts_project
from support.context_rows import plain
from support.dataflows import answered
from support.sampling import some_of
from support.tuples import Batch


@pytest.mark.parametrize("example", examples(), ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    rows = list(Project.parse(example.content).evaluate(example.text, example.streams))
    assert example.shown(rows) == (example.rows, example.contexts)


def agree(one: ContextCase) -> Sequence[Mapping[str, Any]]:
    """The engine's rows, which the oracle's and those of a stream in batches have to be."""
    expected = contexts_oracle(one.lateness).evaluate(one.text, one.streams)
    actual = list(contexts_project(one.lateness).evaluate(one.text, one.streams))
    found = difference([plain(row) for row in actual], [plain(row) for row in expected])
    assert found is None, f"{one}{found}"
    check_batches(one, actual)
    return actual


def check_batches(one: ContextCase, expected: Sequence[Mapping[str, Any]]) -> None:
    """Cut the streams into batches, resume after some of them, and compare to the last bit."""
    rng = Random(one.seed)
    cut = batches(rng, one)
    resumed = {place for place in range(len(cut) + 1) if rng.random() < 0.4}
    actual = answered(contexts_project(one.lateness), one.text, cut, resumed)
    found = difference(actual, expected, 0)
    assert found is None, f"{one}resumed after {resumed} of {cut}\n{found}"
    assert [row["_id"] for row in actual] == [row["_id"] for row in expected]


def batches(rng: Random, one: ContextCase) -> list[Batch]:
    """The streams in batches, some small all along: each stream's order is kept, some are empty for some streams."""
    most = rng.choice((1, 2, 6))
    rest = {name: [dict(row) for row in rows] for name, rows in one.streams.items()}
    cut: list[Batch] = []
    while any(rest.values()):
        sizes = {name: rng.randint(0, most) for name in rest}
        cut.append({name: rows[: sizes[name]] for name, rows in rest.items()})
        rest = {name: rows[sizes[name] :] for name, rows in rest.items()}
    return cut


@pytest.mark.parametrize("required", ["a", "b"])
def test_what_for_leaves_out_may_come_while_no_context_holds(required: str) -> None:
    """Before the window of the other one, and behind it; each event in a batch of its own."""
    text = (
        "CREATE CONTEXTS road (free DEFAULT, jam) BY seg;"
        "INITIATE CONTEXT jam FROM (?e, P) WHERE { FILTER (?e.v = 9) };"
        "TERMINATE CONTEXT jam FROM (?e, P) WHERE { FILTER (?e.v = 5) };"
        f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) IN CONTEXT jam FOR ?{required}"
        " WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 3s) }"
    )
    speeds = [1, 1, 9, 1, 5, 1, 1]
    events = [{"id": f"P{i}", "t": f"2024-03-30T20:00:{i:02d}Z", "seg": 0, "v": v} for i, v in enumerate(speeds)]
    expected = contexts_oracle(0).evaluate(text, {"P": events, "C": [], "D": []})
    actual = answered(contexts_project(0), text, [{"P": [event]} for event in events], set())
    pairs = {(row["a"], row["b"]) for row in actual}
    assert pairs == {(row["a"], row["b"]) for row in expected}
    assert pairs >= ({("P4", "P5"), ("P4", "P6")} if required == "a" else {("P0", "P3"), ("P1", "P3")})


@pytest.mark.parametrize("family", some_of(FAMILIES, 4))
def test_engine_equals_oracle(family: str) -> None:
    assert any(agree(case(family, seed)) for seed in range(9)), "none of the cases has rows"


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_engine_equals_oracle_in_the_long_run(family: str) -> None:
    answers = [agree(case(family, seed)) for seed in range(2000)]
    assert sum(map(bool, answers)) >= 0.7 * len(answers), "few of the cases have rows"
