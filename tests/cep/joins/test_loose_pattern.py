"""What operators of queries in no context that differ in bounds find together, and what each keeps of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from kaicep.cep import CommonSteps, QueryOperator, build_operator
from kaicep.cep.joins import LoosePatternKernel
from kaicep.cep.partitions import loose_form, loosest
from support.operators import at, candidates, compiled

PAIR = "SELECT ?a.n AS one, ?b.n AS two FROM (?a, readings), (?b, readings) JOIN (?b.x < ?a.x - {}) SEQ (?a, ?b)"
READINGS = [
    {"id": f"e{t}", "t": t, "n": t, "x": float(x), "sensor": "s"}
    for t, x in enumerate((9, 3, 9, 8, 1, 7, 6, 9, 0, 4, 2, 8, 5, 3, 7, 1))
]
BOUNDS = [(2, 6), (5, 9), (3, 4), (2, 6)]


def operators() -> list[QueryOperator]:
    found = [build_operator(compiled(f"{PAIR.format(less)} WINDOW (?a, ?b, {wide}s)")) for less, wide in BOUNDS]
    assert all(isinstance(operator.kernel, LoosePatternKernel) for operator in found)
    return found


def rows(found: Sequence[QueryOperator], *, together: bool) -> Iterator[list[list[tuple[Any, ...]]]]:
    """Batch by batch, the rows of each."""
    wide = loosest(loose_form(operator.query).bounds for operator in found)
    for first in range(0, len(READINGS), 4):
        steps, now = CommonSteps(loosest=wide), at(first + 4)
        every = []
        for operator in found:
            given = candidates(operator.query, READINGS[first : first + 4])
            pieces = operator.pieces(given, now, steps if together else None)
            every.append([tuple(row.values())[:2] for piece in pieces for row in piece.to_pylist()])
        yield every


def test_each_keeps_what_its_own_bounds_let_in() -> None:
    apart, shared = [*rows(operators(), together=False)], [*rows(operators(), together=True)]
    assert shared == apart
    assert sum(len(own) for batch in apart for own in batch) > 10


def test_they_hold_one_state_and_whoever_goes_on_alone_finds_the_same() -> None:
    shared, apart = operators(), operators()
    assert [*rows(shared, together=True)] == [*rows(apart, together=False)]
    frames = [operator.kernel._buffer.frames for operator in shared]  # type: ignore[attr-defined]
    assert len({id(of["a"]) for of in frames}) == 1
    more = [{**one, "id": f"f{t}", "t": t + 16} for t, one in enumerate(READINGS[:4])]
    for one, other in zip(shared, apart, strict=True):
        found, expected = (of.process(candidates(of.query, more), at(20)) for of in (one, other))
        assert found == expected


@pytest.mark.parametrize("restored", [1, 3])
def test_one_that_is_elsewhere_searches_by_itself(restored: int) -> None:
    shared, apart = operators(), operators()
    for place in range(restored):
        shared[place].restore(apart[place].snapshot())
    assert [*rows(shared, together=True)] == [*rows(apart, together=False)]
