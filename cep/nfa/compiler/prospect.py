"""What may still become of a partial match: whether some event that comes later could lead it on (LANGUAGE-2 §9).

What is asked of an event on a transition is asked of one of which nothing is known but when it comes: conditions that
speak of the event itself are undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....expressions import micros
from ...order import UNBOUNDED
from ..automaton import PatternItem, completions_by, minimal_completions
from .code_generator import CodeGenerator
from .join_conditions import JoinLevels
from .negation_tests import NegationTests
from .states import RegisterValues, State
from .transition import TransitionCode

__all__ = ["Prospect", "prospect_of"]

Prospect = Callable[[RegisterValues, tuple[Any, ...], Any], tuple[int, int] | None]
"""From registers, an event that comes next at the earliest, and buffers: the last moments at which events may come that
complete the partial match, in microseconds: without one of FOR's variables, and with one; `None`: none do."""


def prospect_of(code: CodeGenerator, state: State, item: PatternItem, target: State) -> Prospect:
    """What may become of the partial matches of a state by an element.

    Args:
        code: compiles.
        state: the state.
        item: the element that an event would be taken for.
        target: the state that it would lead to.
    """
    written: Prospect = code.compiled("r, e, p", _ProspectCode(code, state, item, target, begins=False).prospects())
    return written


class _ProspectCode(TransitionCode):
    """The function: what of a transition is decided before its event comes."""

    def prospects(self) -> list[str]:
        """The function's lines."""
        earliest = self._earliest()
        self.ask("return None")
        required = self.conditions.required
        every = minimal_completions(completions_by(self.item, [self.target.items]), required)
        sides = [[s for s in every if bool(s & required) is inside] for inside in (False, True)]
        outside, inside = (f"max({', '.join(['-1', *map(self._last, side)])}, -1)" for side in sides)
        found = [f"o, i = {outside}, {inside}", "return (o, i) if o >= e[0] or i >= e[0] else None"]
        return [*earliest, *self.registers.lines, *found]

    def _last(self, variables: frozenset[str]) -> str:
        """The last moment at which an event of each of these may come; of the past, where that is over."""
        ends = [end for v in sorted(variables) if (end := self.code.latest(v)) is not None]
        return f"min({', '.join([str(UNBOUNDED), *ends])}, {UNBOUNDED})"

    def _earliest(self) -> list[str]:
        """The event comes behind the intervals of NOTs and timers."""
        ends = []
        for floor in self.item.floors:
            duration = self.code.negation(floor).duration
            after = 0 if duration is None else micros(duration)
            ends.append(f"{self.code.time_of(floor, self.registers.old)} + {after + 1}")
        if not ends:
            return []
        within = f"e[0] > {self.code.within[1]}" + (" or e[0] > p.until" if self.conditions.windowed else "")
        return [f"e = (max(e[0], {', '.join(ends)}), *e[1:])", f"if {within}: return None"]

    def _ask_joins(self) -> None:
        for c in self.conditions.joins:
            if c.aggregates and self.variable not in c.variables and self._is_complete(c) and self._was_incomplete(c):
                self.demand(self._asked_of_all(c, self.registers.new), c.text)

    def _negation_tests(self) -> NegationTests:
        return _DecidedNegations(self.registers, self.refuse)


class _DecidedNegations(NegationTests):
    """What is asked of NOTs whose JOINs do not speak of the event."""

    def _decide(self, variable: str, rows: str, levels: JoinLevels, ended: frozenset[int]) -> None:
        if not any(self.registers.variable in c.variables for level in levels for c in level):
            super()._decide(variable, rows, levels, ended)
