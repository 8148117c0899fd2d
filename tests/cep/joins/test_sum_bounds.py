"""Partial matches whose sums can come true no more are dropped, and no others."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest
from kaicep.cep import Limits, build_operator
from kaicep.cep.joins.sum_bounds import SumBounds, SumCondition, sum_condition
from kaicep.cep.match import BoundRows
from kaicep.cep.order import Candidates
from kaicep.cep.settled_query import settled_query
from kaicep.expressions import Bools
from support.frames import frame_at
from support.operators import Reading, compiled, feed

FOUR = (
    "SELECT ?a AS one, ?b AS two, ?c AS three, ?d AS four "
    "FROM (?a, readings), (?b, readings), (?c, readings), (?d, readings) WINDOW (?a, ?b, ?c, ?d, 1h)"
)
HUGE = 2**62
VALUES: dict[str, list[float | None]] = {"a": [1.0, 5.0, None], "b": [2.0, 3.0], "c": [0.0, 10.0, None]}


def condition(join: str) -> SumCondition | None:
    return sum_condition(settled_query(compiled(f"{FOUR} JOIN ({join})")).joins[0])


def possible(join: str, values: Mapping[str, list[float | None]], **partial: list[int]) -> list[bool] | None:
    found = condition(join)
    assert found is not None
    candidates = {
        v: Candidates(frame_at(list(range(len(of))), columns={"x": of}), np.arange(len(of)), 0)
        for v, of in values.items()
    }
    kept = SumBounds(found, candidates).possible({v: np.array(rows) for v, rows in partial.items()})
    return None if kept is None else kept.tolist()


@pytest.mark.parametrize(
    ("join", "kept"),
    [
        ("?a.x + ?b.x = ?c.x", [True, True]),
        ("?a.x + ?b.x = ?c.x + 9", [False, False]),
        ("?a.x + ?b.x = ?c.x + 7", [False, True]),
        ("?a.x + ?b.x > ?c.x + 5", [False, True]),
        ("?a.x + ?b.x >= ?c.x + 8", [False, True]),
        ("?a.x - ?b.x < -?c.x - 1.5", [True, False]),
        ("?c.x <= 3 - (?a.x + ?b.x)", [True, False]),
        ("?a.x + ?b.x + ?c.x = 100", [False, False]),
    ],
)
def test_what_is_missing_lies_between_its_least_and_greatest(join: str, kept: list[bool]) -> None:
    """Of ?a 1 and 5, of ?b between 2 and 3, of ?c between 0 and 10."""
    assert possible(join, VALUES, a=[0, 1]) == kept


def test_what_is_unbound_is_left_to_the_condition() -> None:
    assert possible("?a.x + ?b.x > ?c.x + 100", VALUES, a=[0, 2]) == [False, True]
    nothing: dict[str, list[float | None]] = {**VALUES, "c": [None]}
    assert possible("?a.x + ?b.x > ?c.x + 100", nothing, a=[0, 1]) == [True, True]


def test_infinite_values_drop_nothing_that_may_come_true() -> None:
    infinite: dict[str, list[float | None]] = {**VALUES, "b": [float("-inf"), float("inf")]}
    assert possible("?a.x + ?b.x + ?c.x = 3", infinite, a=[0, 1]) == [True, True]


def test_it_is_asked_only_between_the_first_variable_and_the_last() -> None:
    assert possible("?a.x + ?b.x = ?c.x", VALUES, d=[0]) is None
    assert possible("?a.x + ?b.x = ?c.x", VALUES, a=[0], b=[0], c=[0]) is None


@pytest.mark.parametrize(
    "join",
    [
        "?a.x = ?b.x",
        "?a.x + ?b.x != ?c.x",
        "?a.x * ?b.x = ?c.x",
        "?a.n * 2 + ?b.n = ?c.n",  # the product may leave 64 bits
        "?a.note = ?b.note OR ?c.x = 1",
        "?a.x + ?b.x < ?c.x OR ?d.ok",
    ],
)
def test_other_conditions_have_no_bounds(join: str) -> None:
    assert condition(join) is None


def test_sums_of_integers_have_bounds_as_doubles() -> None:
    found = condition("?a.n + ?b.n = ?c.n + 2")
    assert found is not None
    assert {v: len(terms) for v, terms in found.terms.items()} == {"a": 1, "b": 1, "c": 1}
    assert found.constant == -2


JOINS = (
    "?a.n + ?b.n = ?c.n + ?d.n",
    "?a.n + ?b.n + ?c.n > 2 - ?d.n",
    "?a.x + ?b.x - ?c.x <= ?d.x",
    "?a.x + ?b.x + ?c.x + ?d.n = 0.6",
    "?a.n - ?b.n < ?c.x",
)


@pytest.mark.parametrize("seed", range(15))
def test_rows_are_the_same_without_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(seed)
    integers = [None, 0, 1, 2, -3, 7] if seed % 2 else [HUGE, HUGE - 1, -HUGE, 2**63 - 1, 1, 0]
    doubles = [None, 0.1, 0.2, 0.3, -0.5, float("nan"), 1e16 if seed % 3 else float("inf"), -1e16]
    stream: list[Reading] = [
        {"id": f"e{i:02}", "t": i // 2, "n": source.choice(integers), "x": source.choice(doubles)} for i in range(12)
    ]
    query = compiled(f"{FOUR} JOIN ({JOINS[seed % len(JOINS)]})")
    rows = feed(build_operator(query), query, stream)

    def everything(_self: SumBounds, _partial: BoundRows) -> Bools | None:
        return None

    monkeypatch.setattr(SumBounds, "possible", everything)
    assert rows == feed(build_operator(query), query, stream)


def test_a_selective_join_of_four_variables_compares_few() -> None:
    """Of 400 events there are ten thousand million fours."""
    query = compiled(f"{FOUR} JOIN (?a.n + ?b.n + ?c.n + ?d.n = 9)")
    stream: list[Reading] = [{"id": f"e{i:03}", "t": i, "n": i} for i in range(400)]
    assert len(feed(build_operator(query, limits=Limits(pairs_per_event=2000)), query, stream)) == 72


def test_integers_are_looked_up_by_their_sums() -> None:
    """As doubles 2**63 - 2 and 2**63 - 1 are equal, as integers they are not."""
    query = compiled(
        "SELECT ?a AS a, ?b AS b FROM (?a, readings), (?b, readings) JOIN (?a.n + 1 = ?b.n) SEQ (?a ->> ?b)"
        " WINDOW (?a, ?b, 1h)"
    )
    most = 2**63 - 1
    values = [most - 1, most - 2, most, 4, 5, *range(100, 400, 2)]
    stream: list[Reading] = [{"id": f"e{i:03}", "t": i, "n": n} for i, n in enumerate(values)]
    rows = feed(build_operator(query, limits=Limits(pairs_per_event=10)), query, stream)
    assert [(row["a"][-3:], row["b"][-3:]) for row in rows] == [("000", "002"), ("003", "004")]
