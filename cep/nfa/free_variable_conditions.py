"""JOINs with variables that SEQ does not name: asked of whole matches, when all their events are known.

Such a variable has no place among the steps of a run, so nothing that it is compared with is decided before a run has
come to its end and the events of all these variables are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, assert_never, cast

from ...expressions import NOTHING, accumulator_of
from ...language.nodes import Aggregate, Binding, Call, Column
from .compiler import CodeGenerator, JoinCondition, LookBack, variable_of
from .event_layout import NUMBER, Event, place_of

__all__ = ["FreeVariableCondition", "Runs"]

Runs = Mapping[str, Sequence[Event]]
"""By variable its events, in total order."""

Sides = frozenset[Any] | None
"""The sides of ORs that a match takes, as (start of the OR, side)."""


@dataclass(frozen=True, slots=True)
class _Fold:
    """An aggregate: what one event more makes of its state, and what the state says."""

    variable: str
    add: Callable[[Any, Event], Any]
    value: Callable[[Any], object]
    counts: bool

    def over(self, events: Sequence[Event]) -> object:
        """The aggregate over some events."""
        state = None
        for event in events:
            state = self.add(state, event)
        return self.value(state)


@dataclass(slots=True)
class FreeVariableCondition:
    """One such JOIN.

    Args:
        functions: compiles.
        condition: the JOIN.
        others: for each side of each OR, as (start of the OR, side), the variables of its other sides.

    Attributes:
        variables: those that it mentions.
        whole: those of whose complete runs it speaks.
    """

    functions: CodeGenerator
    condition: JoinCondition
    others: Mapping[tuple[int, int], frozenset[str]]
    variables: frozenset[str] = field(init=False)
    whole: frozenset[str] = field(init=False)
    _test: Callable[[Sequence[Event], Sequence[object], Sequence[object]], bool] = field(init=False)
    _whole: list[_Fold] = field(init=False)
    _looks: list[Callable[[Runs, Mapping[str, int]], object]] = field(init=False)

    def __post_init__(self) -> None:
        c, functions = self.condition, self.functions
        self.variables = frozenset(c.variables)
        self.whole = frozenset(e.variable for e in c.aggregates)
        self._whole = [self._fold(e) for e in c.aggregates]
        self._looks = [self._look(look) for look in c.looks]

        def leaf(node: Column | Binding | Aggregate | Call) -> str:
            match node:
                case Column() | Binding():
                    return f"x[{c.plain.index(node.variable)}][{place_of(node)}]"
                case Aggregate(running=False):
                    return f"g[{c.aggregates.index(node)}]"
                case Aggregate() | Call():
                    return f"k[{c.looks.index(node)}]"
                case _:
                    assert_never(node)

        source = functions.source
        written = source.cautious(c.test, leaf, excused=True) if c.looks else source.truth(c.test, leaf)
        self._test = functions.compiled("x, g, k", [f"return {written}"])

    def _fold(self, e: Aggregate) -> _Fold:
        add = self.functions.compiled("s, e", [f"return {self.functions.aggregate_with(e, 's', 'e')}"])
        value = self.functions.compiled("s", [f"return {self.functions.aggregate_value(e, 's')}"])
        return _Fold(e.variable, add, value, accumulator_of(e).value(None) is not None)

    def _look(self, look: LookBack) -> Callable[[Runs, Mapping[str, int]], object]:
        """What a PREV or a RUNNING aggregate says of the events that come before the number of its variable."""
        variable = variable_of(look)
        fold = self._fold(look) if isinstance(look, Aggregate) else None
        place = 0 if isinstance(look, Aggregate) else place_of(cast("Column | Binding", look.arguments[0]))

        def looked(runs: Runs, before: Mapping[str, int]) -> object:
            events = [event for event in runs[variable] if event[NUMBER] < before[variable]]
            if fold is not None:
                return fold.over(events) if events or fold.counts else NOTHING
            return events[-1][place] if events else NOTHING

        return looked

    def holds(self, runs: Runs, sides: Sides) -> bool:
        """Whether it is true of a match, or not asked."""
        if self._is_left_out(runs, sides):
            return True
        whole = [fold.over(runs[fold.variable]) for fold in self._whole]
        if not self._looks:
            return all(self._test(x, whole, ()) for x in product(*(runs[v] for v in self.condition.plain)))
        return all(self._test(x, whole, looks) for x, looks in self._steps(runs))

    def _is_left_out(self, runs: Runs, sides: Sides) -> bool:
        """Whether a variable is unbound because of another side of an OR."""
        if not sides:
            return False
        empty = {v for v in self.condition.variables if not runs[v]}
        return any(not empty.isdisjoint(self.others[side]) for side in sides)

    def _steps(self, runs: Runs) -> Iterator[tuple[Sequence[Event], Sequence[object]]]:
        """What RUNNING and PREV are tested with: each event as it comes, with those before it."""
        c = self.condition
        for variable in c.variables:
            for tested in runs[variable]:
                number: int = tested[NUMBER]
                so_far = {v: [e for e in runs[v] if e[NUMBER] <= number] for v in c.plain} | {variable: [tested]}
                for x in product(*(so_far[v] for v in c.plain)):
                    before: dict[str, int] = dict.fromkeys(c.variables, number)
                    before |= {v: e[NUMBER] for v, e in zip(c.plain, x, strict=True)}
                    yield x, [look(runs, before) for look in self._looks]
