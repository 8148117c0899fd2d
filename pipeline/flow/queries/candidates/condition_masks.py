"""Of which events of a batch conditions on columns are true; a narrower one is asked of what a wider one has left.

Source: H2O §V (subsumed filters); docs/decisions/317.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np

from .....expressions import Floats, Ints, ThresholdChain
from .....semfilter.runtime import ColumnTest, Mask
from .event_batch import EventBatch

__all__ = ["ConditionMasks"]

_PART = 2
"""What leaves more than such a part of the events spares nothing: picking them costs more than asking about all."""


class ConditionMasks:
    """Finds masks of conditions, and lets the batch know them.

    Args:
        batch: the events.
        wider: by what a condition says, what the next wider one says.
        left: by what a condition says, which rows it has left, as far as that is known.
        numbers: gives a column as doubles, NaN where it is null; `None`: it cannot be.
    """

    def __init__(
        self,
        batch: EventBatch,
        wider: Mapping[Hashable, Hashable],
        left: Mapping[Hashable, Ints],
        numbers: Callable[[str], Floats | None],
    ) -> None:
        self._batch, self._height = batch, batch.table.num_rows
        self._wider, self._numbers = wider, numbers
        self._left = dict(left)
        self._masks: dict[Hashable, Mask] = {}

    def ask(self, conditions: Iterable[ColumnTest]) -> None:
        """Ask conditions; one alone that nothing narrows down is left to who looks at it."""
        tests = {test.said: test for test in conditions}
        for said in tests.keys() & self._left.keys():
            self._masks[said] = self._mask_of(self._left[said])
        tests = {said: test for said, test in tests.items() if said not in self._masks}
        tests = self._ask_thresholds(tests)
        alone = len(tests) == 1
        while tests:
            ready = {said for said in tests if self._before(said, tests) not in tests}
            groups: dict[Hashable, list[ColumnTest]] = {}
            for said in ready:
                groups.setdefault(self._narrowed(said), []).append(tests[said])
            for wider, own in groups.items():
                if wider is not None:
                    self._ask(own, self._rows(wider))
                elif not alone:
                    self._ask(own, None)
            tests = {said: test for said, test in tests.items() if said not in ready}
        self._batch.verdicts.learn(self._masks)

    def _ask_thresholds(self, tests: Mapping[Hashable, ColumnTest]) -> dict[Hashable, ColumnTest]:
        """Ask thresholds, those of one column together; what are none, or of no numbers, are left."""
        alike: dict[tuple[str, str], list[tuple[Hashable, float]]] = {}
        for said, test in tests.items():
            if (of := test.threshold) is not None:
                alike.setdefault((of.column, of.symbol), []).append((said, of.value))
        for (column, symbol), own in alike.items():
            values = self._numbers(column)
            if values is None:
                continue
            chain = ThresholdChain(symbol, [value for _, value in own])
            loosest = own[chain.loosest_first[0]][0]
            wider = self._narrowed(loosest)
            masks = chain.masks(values, np.arange(self._height) if wider is None else self._rows(wider))
            self._masks |= zip((said for said, _ in own), masks, strict=True)
        return {said: test for said, test in tests.items() if said not in self._masks}

    def _before(self, said: Hashable, asked: Mapping[Hashable, ColumnTest]) -> Hashable | None:
        """The next wider condition that is asked, or of which it is known what it has left."""
        wider = self._wider.get(said)
        while wider is not None and wider not in asked and wider not in self._masks and wider not in self._left:
            wider = self._wider.get(wider)
        return wider

    def _narrowed(self, said: Hashable) -> Hashable | None:
        """That wider condition, where it leaves so few events that asking about these alone is less."""
        wider = self._before(said, {})
        return wider if wider is not None and len(self._rows(wider)) * _PART <= self._height else None

    def _rows(self, said: Hashable) -> Ints:
        if said not in self._left:
            self._left[said] = np.flatnonzero(self._masks[said])
        return self._left[said]

    def _mask_of(self, rows: Ints) -> Mask:
        mask = np.zeros(self._height, dtype=np.bool_)
        mask[rows] = True
        return mask

    def _ask(self, tests: Sequence[ColumnTest], rows: Ints | None) -> None:
        """Ask conditions in one selection, of some rows or of all."""
        frame = self._batch.frame(sorted({name for test in tests for name in test.columns}) or ["_time"])
        frame = frame if rows is None else frame[rows]
        answered = frame.select(test.test.alias(str(number)) for number, test in enumerate(tests))
        if answered.height != frame.height:
            return  # they look at no column
        for number, test in enumerate(tests):
            true = answered[str(number)].to_numpy()
            self._masks[test.said] = true if rows is None else self._mask_of(rows[true])
