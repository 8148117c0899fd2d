"""The steps of a pattern: what is asked of an event before it is taken, and the functions that take it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import cast

from ....expressions import micros
from ....language.nodes import Link
from ..automaton import PatternItem, StopScope
from .code_generator import CodeGenerator, Read
from .join_conditions import JoinCondition
from .negation_tests import NegationTests
from .register_updates import RegisterUpdates
from .registers import FIRST, SEEN, Lookahead, Register
from .states import Advance, State, TakeFunction, Target

__all__ = ["TransitionCode", "advance_function", "target_of"]


def target_of(code: CodeGenerator, state: State, item: PatternItem, target: State, *, begins: bool) -> Target:
    """The target of a transition, with the function that asks an event for its conditions.

    Args:
        code: compiles.
        state: the state that the transition leads on from.
        item: the element that the event is taken for.
        target: the state that it leads to.
        begins: whether the event is the first.
    """
    transition = TransitionCode(code, state, item, target, begins=begins)
    take: TakeFunction = code.compiled("r, e, p", transition.lines())
    return Target(target, take, tuple(dict.fromkeys(transition.asked)))


def advance_function(
    code: CodeGenerator, state: State, ways: Sequence[tuple[PatternItem, Target]], *, leave: bool
) -> Advance:
    """The function that takes all partial matches of a state on: the conditions stand in its loop, nothing is called.

    Args:
        code: compiles.
        state: the state.
        ways: what an event may be taken for, and where that leads.
        leave: whether a partial match leaves the state when it takes the event; then there is one way, and partial
            matches to which no event is of use any more are dropped, too.
    """
    lines = ["stay = []"] if leave else []
    for item, target in ways:
        lines.append("for m in matches:" if leave else "for r, node in matches:")
        body = ["_, r, node = m"] if leave else []
        name = code.source.name(target.state, "q")
        transition = TransitionCode(code, state, item, target.state, begins=False)
        if leave and (latest := code.latest_of_all(state)) is not None:
            body.append(f"if e[0] > {latest}: continue")
            transition.in_time = latest
        taken, registers = transition.tests_and_registers("stay.append(m); continue" if leave else "continue")
        lines += [
            f"    {line}" for line in (*body, *taken, f"made.append(({name}, {registers}, (node[0], node, place, e)))")
        ]
    function: Advance = code.compiled("matches, e, p, place, made", [*lines, "return stay" if leave else "return None"])
    return function


class TransitionCode:
    """The function of one step: what is asked of the event, and the run with it; see `RegisterUpdates`."""

    def __init__(self, code: CodeGenerator, state: State, item: PatternItem, target: State, *, begins: bool) -> None:
        self.code, self.conditions = code, code.conditions
        self.item, self.target, self.begins = item, target, begins
        self.variable = cast("str", item.variable)
        self.before: Lookahead = state.ahead
        self.after: Lookahead = target.ahead
        self.groups = self.conditions.scopes.groups[self.variable]
        self.registers = RegisterUpdates(code, state, item, target, begins=begins)
        self._otherwise = "return None"
        self.in_time: str | None = None
        self.asked: list[str] = []

    def lines(self) -> list[str]:
        """The function's lines."""
        tests, registers = self.tests_and_registers("return None")
        return [*tests, f"return {registers}"]

    def tests_and_registers(self, otherwise: str) -> tuple[list[str], str]:
        """What is asked of the event, line by line, and the registers with it; `otherwise`: what refuses it."""
        self.ask(otherwise)
        values = self.registers.values()
        return self.registers.lines, values

    def ask(self, otherwise: str) -> None:
        """Write what is asked of the event; `otherwise`: what refuses it."""
        self._otherwise = otherwise
        self._ask_of_time()
        self._ask_untils()
        self._ask_of_ended_repetitions()
        self._ask_joins()
        self.asked += self._negation_tests().write()

    def _negation_tests(self) -> NegationTests:
        return NegationTests(self.registers, self.refuse)

    def demand(self, test: str, text: str) -> None:
        """The event satisfies the element only if the test is true; `text`: what it asks, in χ-CEP."""
        if test != "True":
            self.asked.append(text)
            self.registers.lines.append(f"if not {test}: {self._otherwise}")

    def refuse(self, test: str) -> None:
        """The event does not satisfy the element if the test is true."""
        self.registers.lines.append(f"if {test}: {self._otherwise}")

    def _ask_of_time(self) -> None:
        if self.begins:
            return
        item, old = self.item, self.registers.old
        if item.link is Link.STRICT:
            self.refuse(f"e[2] != {old(SEEN)}")
        if self.conditions.interleaved:
            for variable in item.before or ():
                self.refuse(f"e[0] <= {old(Register('last', variable))}[0]")
        for floor in item.floors:
            duration = micros(self.code.negation(floor).duration or timedelta(0))
            self.asked.append(f"after {self.conditions.negation_text(floor.variable)}")
            self.refuse(f"e[0] <= {self.code.time_of(floor, old)} + {duration}")
            if self.code.negation(floor).timer:
                self.refuse(f"not {self.code.in_width(floor, old)}")
        for i, (variables, width) in enumerate(self.conditions.windows):
            if self.variable in variables:
                self.asked.append(self.conditions.window_text(variables, width))
                self._ask_window(Register("window", i), width)

    def _ask_window(self, register: Register, width: int) -> None:
        first = self.registers.old(FIRST if register not in self.conditions.registers else register)
        if register not in self.conditions.registers:
            if self.in_time != f"{first} + {width}":
                self.refuse(f"e[0] - {first} > {width}")
        elif first != "None":
            self.refuse(f"{first} is not None and e[0] - {first} > {width}")

    def _ask_untils(self) -> None:
        for until in self.item.untils:
            self.asked += [f"not UNTIL ({stop.condition.text})" for stop in self.conditions.stops[until.start]]
            if all(ending.alone for ending in self.conditions.stops[until.start]):
                self._ask_common_until(until)
            else:
                self._ask_until(until)

    def _ask_common_until(self, until: StopScope) -> None:
        found = f"p.stops[{until.start}]"
        if until.counts and not self.begins:
            self.refuse(f"{found}.count(e[1]) != {self.registers.old(Register('until', until.start))}")
        else:
            self.refuse(f"{found}.has(e[1])")

    def _ask_until(self, until: StopScope) -> None:
        since = self.registers.old(Register("until", until.start)) if until.counts and not self.begins else "e[1] - 1"
        for ending in self.conditions.stops[until.start]:
            c = ending.condition
            others = [self.registers.old(self.conditions.registers.events(c, v)) for v in c.plain if v != ending.name]
            if "None" in others:
                continue  # it speaks of an event that has not come
            test = self.code.holds(c, self.registers.old, tested=ending.name, owner="n")
            test = f"({' and '.join(others)}) and {test}" if others else test
            self.refuse(f"any({test} for n in p.stops[{ending.name!r}].since({since}, e[1]))")

    def _ask_of_ended_repetitions(self) -> None:
        """Of repetitions that end with this event, what was not decided before."""
        if self.begins:
            return
        for c in self.conditions.joins:
            if c.scope in self.item.quits and self._undecided(c):
                self.demand(self._asked_of_all(c, self.registers.old), c.text)

    def _undecided(self, c: JoinCondition) -> bool:
        return bool(c.aggregates) and self.before.may((e.variable for e in c.aggregates), c.scope)

    def _asked_of_all(self, c: JoinCondition, read: Read) -> str:
        """A condition that is asked once all is known; of a repetition only if it has any of its variables."""
        written = self.code.holds(c, read, whole=True)
        if c.scope is None or c.plain:
            return written
        states = [read(self.conditions.registers.aggregate(e, c.scope)) for e in c.aggregates]
        if "None" in states and all(state == "None" for state in states):
            return "True"
        empty = " and ".join(f"{state} is None" for state in states)
        return f"(({empty}) or {written})"

    def _ask_joins(self) -> None:
        for c in self.conditions.joins:
            if c.aggregates:
                if self._is_complete(c) and (self._was_incomplete(c) or self.variable in c.variables):
                    self.demand(self._asked_of_all(c, self.registers.new), c.text)
            elif self.variable in c.variables:
                tested = self.variable if self.variable in c.plain else None
                self._ask_of_event(c, tested)

    def _is_complete(self, c: JoinCondition) -> bool:
        if c.scope is not None and c.scope not in self.groups:
            return False
        return not self.after.may((e.variable for e in c.aggregates), c.scope)

    def _was_incomplete(self, c: JoinCondition) -> bool:
        return self.begins or c.scope in self.item.enters or self._undecided(c)

    def _ask_of_event(self, c: JoinCondition, tested: str | None) -> None:
        """A condition of single events, with the new one, or that looks back from it."""

        def read(register: Register) -> str:
            return self.registers.new(register) if register.kind == "sides" else self.registers.base(register)

        self.demand(self.code.holds(c, read, tested=tested), c.text)
