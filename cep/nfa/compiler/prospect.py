"""What may still become of a partial match: whether some event that comes later could lead it on (LANGUAGE-2 §9).

What is asked of an event on a transition is asked of one of which nothing is known but when it comes: conditions that
speak of the event itself are undecided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from ....expressions import micros
from ...order import UNBOUNDED
from ..automaton import Completions, PatternItem, completions_by, minimal_completions
from .code_generator import CodeGenerator
from .join_conditions import JoinLevels
from .negation_tests import NegationTests
from .registers import Register
from .states import RegisterValues, State
from .transition import TransitionCode

__all__ = ["Lead", "Prospect", "lead_of", "prospect_of"]

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


@dataclass(frozen=True, slots=True)
class Lead:
    """What may become of partial matches by an element where variables are beside that SEQ does not name.

    Attributes:
        begin: from the arguments of a `Prospect`: when the event may come at the earliest, the sides of ORs, and the
            candidates of NOTs as in `FinalState.rest`; `None`: it may not come. Of what has not begun it is not asked.
        coming: the variables that would complete the match.
        ahead: those that may still come behind the event, or with it.
    """

    begin: Callable[[RegisterValues, tuple[Any, ...], Any], tuple[int, Any, tuple[tuple[Any, ...], ...]] | None]
    coming: Completions
    ahead: frozenset[str]


def lead_of(code: CodeGenerator, state: State, item: PatternItem, target: State) -> Lead:
    """See `prospect_of`."""
    coming = completions_by(item, [target.items])
    ahead = target.ahead.variables | {cast("str", item.variable)}
    begin = code.compiled("r, e, p", _ProspectCode(code, state, item, target, begins=False).leads())
    return Lead(begin, minimal_completions(coming, code.conditions.required), ahead)


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

    def leads(self) -> list[str]:
        """The lines of `Lead.begin`."""
        earliest = self._earliest()
        self.ask("return None")
        registers, sides = self.registers, Register("sides")
        taken = registers.new(sides) if sides in self.conditions.registers else "None"
        doubtful = [f"{registers.known(Register('doubtful', v))} or ()" for v in self.conditions.doubtful]
        found = f"(e[0], {taken}, ({''.join(f'{rows}, ' for rows in doubtful)}))"
        return [*earliest, *registers.lines, f"return {found}"]

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
