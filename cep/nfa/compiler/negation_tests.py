"""What a transition asks of the NOTs that it passes, as Python source."""

from __future__ import annotations

from collections.abc import Callable

from ..automaton import PassedNegation
from .code_generator import Read
from .join_conditions import JoinCondition, JoinLevels
from .register_updates import RegisterUpdates
from .registers import FIRST, Register, undecided

__all__ = ["NegationTests"]


class NegationTests:
    """The NOTs before an event, and those before it of which the JOINs could not be asked yet.

    Args:
        registers: before the event and with it.
        refuse: writes that the event is not taken if a test is true.
    """

    def __init__(self, registers: RegisterUpdates, refuse: Callable[[str], None]) -> None:
        self.registers, self.refuse = registers, refuse
        self.code, self.conditions, self.item = registers.code, registers.conditions, registers.item
        self.asked: list[str] = []

    def write(self) -> list[str]:
        """Write the tests, and what is left to be asked later into registers; in χ-CEP, what is asked now."""
        self._ask_pending()
        self._ask_passed()
        return self.asked

    def _ask_passed(self) -> None:
        for absence in self.item.absences:
            negation = self.code.negation(absence)
            if absence.before is None and negation.duration is None:
                continue  # it looks at what lies before the first event, when the last one is known
            if negation.timer:
                continue  # AFTER forbids nothing
            self._now_or_later(absence)

    def _now_or_later(self, absence: PassedNegation) -> None:
        code, variable = self.code, absence.variable
        if absence.before is None and self.registers.begins:
            interval = code.interval(absence, lambda _: "e[0]", "e[0]")
        else:
            interval = code.interval(absence, self.registers.old, "e[0]")
        levels = self.conditions.negation_joins(variable)
        ended = self.item.quits - absence.enters
        rows = f"{code.candidates(variable)}.of({interval})"
        if self._is_decided(variable, levels, ended):
            self._decide(variable, rows, levels, ended)
            return
        asked = sum(level[0].scope in ended for level in levels)
        register = undecided(variable, asked, opening=False)
        if asked:
            self.registers.keep(register, code.suspects(variable, rows, levels[:asked], lambda _: self.registers.old))
        else:
            self.registers.keep(register, f"({interval},)")

    def _is_decided(self, variable: str, levels: JoinLevels, ended: frozenset[int]) -> bool:
        """Whether nothing comes any more that some JOINs of a NOT speak of; `ended`: the repetitions it stands in."""
        return all(
            c.scope in ended or not self.registers.target.ahead.may([v for v in c.variables if v != variable], c.scope)
            for level in levels
            for c in level
        )

    def _ask_pending(self) -> None:
        """Of NOTs of which the JOINs could not be asked before; of those in repetitions that end, what can be."""
        code, ended = self.code, self.item.quits
        for variable in self.conditions.scopes.negations:
            levels = self.conditions.negation_joins(variable)
            for asked, level in enumerate(levels):
                pending = self.registers.known(undecided(variable, asked, opening=False))
                if pending == "None":
                    continue
                rows = code.undecided(variable, asked, pending)
                if self._is_decided(variable, levels[asked:], ended):
                    self.registers.put(undecided(variable, asked, opening=False), "None")
                    self._decide(variable, rows, levels[asked:], ended)
                elif level[0].scope in ended:
                    self._pass_on(variable, rows, asked, opening=False)
            self._ask_opening(variable)

    def _ask_opening(self, variable: str) -> None:
        """Of a NOT that stands first, what the end of its repetitions decides: the others wait for the last event."""
        if self.conditions.scopes.negations[variable].duration is not None:
            return
        for asked, level in enumerate(self.conditions.negation_joins(variable)):
            pending = self.registers.known(undecided(variable, asked, opening=True))
            if level[0].scope in self.item.quits and pending != "None":
                before = self.code.before(variable, "e[0]", self.registers.old(FIRST))
                rows = f"({pending} or ())" if asked else f"({before} if {pending} else ())"
                self._pass_on(variable, rows, asked, opening=True)

    def _pass_on(self, variable: str, rows: str, asked: int, *, opening: bool) -> None:
        """Ask candidates of a repetition that ends one level more: only what surrounds it may still allow them."""
        level = self.conditions.negation_joins(variable)[asked : asked + 1]
        self.registers.put(undecided(variable, asked, opening=opening), "None")
        kept = self.code.suspects(variable, rows, level, lambda _: self.registers.old)
        self.registers.keep(undecided(variable, asked + 1, opening=opening), kept)

    def _decide(self, variable: str, rows: str, levels: JoinLevels, ended: frozenset[int]) -> None:
        """Refuse the event if one of a NOT's candidates is forbidden; if that is for others to say, keep those."""
        self.asked.append(self.conditions.negation_text(variable))

        def read(c: JoinCondition) -> Read:
            return self.registers.old if c.scope in ended else self.registers.new

        if variable in self.conditions.doubtful:
            self.registers.keep(Register("doubtful", variable), self.code.suspects(variable, rows, levels, read))
        else:
            self.refuse(self.code.present(variable, rows, levels, read))
