"""Which condition lets every event pass that another one does: the narrower is asked of what the wider has left.

Source: H2O §V (subsumed filters); docs/decisions/317.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

from .....expressions import ThresholdChain
from .....language.cover import Facts, Renaming
from .....language.nodes import Expression, columns_of
from .....semfilter.runtime import ColumnTest

__all__ = ["next_wider"]

_PAIRS = 4_096
"""So many pairs of conditions on the same columns are looked at, at the most: a sixth of a second. Those of thresholds
are not counted, which are put in order by their values."""


def next_wider(tests: Iterable[ColumnTest]) -> Mapping[Hashable, Hashable]:
    """By what a condition says, what the narrowest of those says that follow from it, if there is one.

    Whoever goes from a condition to its wider one, and on, comes to an end.

    Args:
        tests: conditions on the events of one stream, no two of which say the same.
    """
    alike: dict[frozenset[str], list[ColumnTest]] = {}
    for test in tests:
        names = frozenset(column.name for condition in test.conditions for column in columns_of(condition))
        alike.setdefault(names, []).append(test)
    found: dict[Hashable, Hashable] = {}
    room = _PAIRS
    for own in sorted(alike.values(), key=len):
        others = [test for test in own if test.threshold is None]
        pairs = len(others) * len(own)
        found |= _wider(own, others if pairs <= room else ())
        room -= pairs if pairs <= room else 0
    return found


def _wider(tests: Sequence[ColumnTest], others: Sequence[ColumnTest]) -> Mapping[Hashable, Hashable]:
    """The same of thresholds, and of others, that look at the same columns."""
    depths: dict[Hashable, int] = {}
    found: dict[Hashable, Hashable] = {}
    for chain in _chains(tests):
        depths |= {said: depth for depth, said in enumerate(chain)}
        found |= {narrower: wider for wider, narrower in pairwise(chain)}
    said = {test.said: _anywhere(test.conditions) for test in tests}
    implied = {test.said: _implied(test.said, said) for test in others}
    depths |= {one: len(of) for one, of in implied.items()}
    places = {test.said: place for place, test in enumerate(tests)}
    for one, of in implied.items():
        order = {wider: (depths[wider], places[wider]) for wider in of}
        before = [wider for wider in of if order[wider] < (depths[one], places[one])]
        if before:
            found[one] = max(before, key=order.__getitem__)
    return found


def _chains(tests: Sequence[ColumnTest]) -> list[list[Hashable]]:
    """Thresholds that compare one column in one way, the loosest first."""
    alike: dict[tuple[str, str], list[tuple[Hashable, float]]] = {}
    for test in tests:
        if (of := test.threshold) is not None:
            alike.setdefault((of.column, of.symbol), []).append((test.said, of.value))
    return [
        [own[place][0] for place in ThresholdChain(symbol, [value for _, value in own]).loosest_first]
        for (_, symbol), own in alike.items()
    ]


def _implied(own: Hashable, said: Mapping[Hashable, Sequence[Expression]]) -> list[Hashable]:
    facts = Facts(said[own])
    return [other for other, of in said.items() if other != own and all(map(facts.imply, of))]


def _anywhere(conditions: Sequence[Expression]) -> tuple[Expression, ...]:
    """Conditions as they would be asked of a variable that all call alike."""
    names = {column.variable: "" for condition in conditions for column in columns_of(condition)}
    return tuple(map(Renaming(names).of, conditions))
