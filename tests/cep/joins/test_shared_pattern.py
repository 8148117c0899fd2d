"""What operators of queries that differ in contexts and bounds find together, and what each keeps of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from kaicep.cep import CONTEXT_WINDOWS, NO_END, CommonSteps, QueryOperator, build_operator
from kaicep.cep.joins import SharedPatternKernel
from kaicep.cep.partitions import loose_form, loosest
from kaicep.expressions import micros
from support.context_queries import ContextSpan, candidates_in, in_contexts, told
from support.operators import at, compiled

PAIR = "SELECT ?a.n AS one, ?b.n AS two FROM (?a, readings), (?b, readings) JOIN (?b.x < ?a.x - {}) SEQ (?a, ?b)"
ABSENT = "SELECT ?b.n AS two FROM (?n, readings), (?b, readings) JOIN (?n.x = ?b.x) SEQ (NOT ?n, ?b)"
GAP = (
    "SELECT ?a.n AS one, ?b.n AS two FROM (?a, readings), (?n, readings), (?b, readings) JOIN (?b.x < ?a.x - {})"
    " JOIN (?n.x = ?a.x) SEQ (?a, NOT ?n, ?b)"
)
READINGS = [
    {"id": f"e{t}", "t": t, "n": t, "x": float(x), "sensor": "s"}
    for t, x in enumerate((9, 3, 9, 8, 1, 7, 6, 9, 0, 4, 2, 8, 5, 3, 7, 1))
]
OPEN = [ContextSpan(1, "jam", "s", 0, NO_END)]


def query(text: str, *bounds: int, variables: str = "?a, ?b") -> Any:
    *numbers, seconds = bounds
    return in_contexts(compiled(f"{text.format(*numbers)} WINDOW ({variables}, {seconds}s)"), ("jam",))


def rows(operators: Sequence[QueryOperator], *, together: bool) -> Iterator[list[list[tuple[Any, ...]]]]:
    """Batch by batch, the rows of each."""
    kernels = [operator.kernel for operator in operators]
    assert all(isinstance(kernel, SharedPatternKernel) for kernel in kernels)
    wide = loosest(loose_form(operator.query).bounds for operator in operators)
    for first in range(0, len(READINGS), 4):
        steps, found = CommonSteps(loosest=wide), []
        now = at(first + 4)
        for operator in operators:
            readings = READINGS[first : first + 4]
            given = candidates_in(operator.query, readings, OPEN) | {CONTEXT_WINDOWS: told(OPEN, ("jam",), micros(now))}
            pieces = operator.pieces(given, now, steps if together else None)
            found.append([tuple(row.values())[:-4] for piece in pieces for row in piece.to_pylist()])
        yield found


@pytest.mark.parametrize(
    ("text", "variables", "bounds"),
    [
        (PAIR, "?a, ?b", [(2, 6), (5, 9), (3, 4), (2, 6)]),
        (GAP, "?a, ?b", [(2, 6), (5, 9), (3, 4)]),
        (ABSENT, "?n, ?b", [(1,), (6,), (2,)]),
    ],
)
def test_each_keeps_what_its_own_bounds_let_in(text: str, variables: str, bounds: list[tuple[int, ...]]) -> None:
    apart = [build_operator(query(text, *own, variables=variables)) for own in bounds]
    shared = [build_operator(query(text, *own, variables=variables)) for own in bounds]
    alone, both = (list(rows(of, together=of is shared)) for of in (apart, shared))
    assert alone == both
    found = [[row for batch in alone for row in batch[i]] for i in range(len(bounds))]
    assert all(found)
    assert len({len(of) for of in found}) > 1


def test_one_of_them_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    search = SharedPatternKernel._step

    def counted(self: SharedPatternKernel, *given: Any) -> Any:
        asked.append(given[-1])
        return search(self, *given)

    monkeypatch.setattr(SharedPatternKernel, "_step", counted)
    list(rows([build_operator(query(PAIR, *own)) for own in ((2, 6), (5, 9))], together=True))
    assert asked == [(-2, 9_000_000)] * 4


def test_what_was_let_in_by_looser_bounds_before_a_snapshot_is_looked_through() -> None:
    """A partial match of another one's bounds is on its way when it goes on by itself."""
    bounds = [(1, 9), (6, 9)]
    shared, tight = [build_operator(query(GAP, *own)) for own in bounds], build_operator(query(GAP, *bounds[1]))
    both, alone = rows(shared, together=True), rows([tight], together=False)
    for _ in range(2):
        assert next(both)[1] == next(alone)[0]
    again = build_operator(query(GAP, *bounds[1]))
    again.restore(shared[1].snapshot())
    shared[1] = again
    for left, right in zip(both, alone, strict=True):
        assert left[1] == right[0]


def test_conditions_are_counted_as_they_were_asked_together() -> None:
    shared = [build_operator(query(PAIR, *own)) for own in ((5, 9), (2, 6))]
    list(rows(shared, together=True))
    (join,) = shared[0].counts.conditions
    assert join.asked > join.held > shared[0].counts.found > 0
