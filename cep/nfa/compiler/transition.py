"""The steps of a pattern: what is asked of an event, and the run with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from operator import itemgetter
from typing import assert_never, cast

from ....expressions import micros
from ....language.nodes import Link
from ..automaton import PassedNegation, PatternItem, StopScope
from ..event_layout import NUMBER
from .code_generator import CodeGenerator, Read
from .join_conditions import JoinCondition, JoinLevels
from .registers import FIRST, SEEN, Lookahead, Register, undecided
from .states import Advance, State, TakeFunction, Target

__all__ = ["advance_function", "target_of"]


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
    """The function of one step: what is asked of the event, and the run with it."""

    def __init__(self, code: CodeGenerator, state: State, item: PatternItem, target: State, *, begins: bool) -> None:
        self.code, self.conditions = code, code.conditions
        self.state, self.item, self.target, self.begins = state, item, target, begins
        self.variable = cast("str", item.variable)
        self.before: Lookahead = state.ahead
        self.after: Lookahead = target.ahead
        self.groups = self.conditions.scopes.groups[self.variable]
        self._written: list[str] = []
        self._otherwise = "return None"
        self.in_time: str | None = None
        self.asked: list[str] = []
        self._changed: dict[Register, str] = {}

    def lines(self) -> list[str]:
        """The function's lines."""
        tests, registers = self.tests_and_registers("return None")
        return [*tests, f"return {registers}"]

    def tests_and_registers(self, otherwise: str) -> tuple[list[str], str]:
        """What is asked of the event, line by line, and the registers with it; `otherwise`: what refuses it."""
        self._otherwise = otherwise
        self._ask_of_time()
        self._ask_untils()
        self._ask_of_ended_repetitions()
        self._ask_joins()
        self._ask_pending_absences()
        self._ask_absences()
        registers = self.conditions.registers
        values = [self.new(register) if register in self.target.live else "None" for register in registers]
        return self._written, f"({', '.join(values)},)"

    def demand(self, test: str, text: str) -> None:
        """The event satisfies the element only if the test is true; `text`: what it asks, in χ-CEP."""
        if test != "True":
            self.asked.append(text)
            self._written.append(f"if not {test}: {self._otherwise}")

    def refuse(self, test: str) -> None:
        """The event does not satisfy the element if the test is true."""
        self._written.append(f"if {test}: {self._otherwise}")

    # Registers.

    def old(self, register: Register) -> str:
        """A register before the event."""
        return (
            "None"
            if self.begins or register not in self.state.live
            else f"r[{self.conditions.registers.place(register)}]"
        )

    def base(self, register: Register) -> str:
        """The same, in the repetition that the event is part of."""
        return "None" if register.scope is not None and register.scope in self.item.enters else self.old(register)

    def new(self, register: Register) -> str:
        """A register with the event."""
        if register not in self._changed:
            value = self._updated(register)
            if value is None:
                self._changed[register] = self.base(register)
            elif value in ("e", "e[0]", "e[1]", "True"):
                self._changed[register] = value
            else:
                name = f"y{self.conditions.registers.place(register)}"  # no name of `ScalarSource` begins so
                self._written.append(f"{name} = {value}")
                self._changed[register] = name
        return self._changed[register]

    def _updated(self, register: Register) -> str | None:  # noqa: C901 - one case per kind of register
        base = self.base(register)
        match register.kind:
            case "first":
                return "e[0]" if self.begins else None
            case "number":
                return "e[1]" if self.begins else None
            case "seen":
                return "e[1]"
            case "window":
                if self.variable not in self.conditions.windows[cast("int", register.of)][0]:
                    return None
                return "e[0]" if base == "None" else f"e[0] if {base} is None else {base}"
            case "last" | "one":
                return "e" if register.of == self.variable else self._anchor(register)
            case "many":
                if register.of != self.variable:
                    return None
                return "(e,)" if base == "None" else f"(*({base} or ()), e)"
            case "looked":
                return self._with_looks(register, base)
            case "aggregate":
                return self._aggregated(register, base)
            case "opening":
                opens = any(a.variable == register.of and a.before is None for a in self.item.absences)
                return "True" if opens else None
            case "until":
                return self._until(register)
            case "sides":
                return self._sides(register, base)
            case "absent" | "suspects" | "doubtful":
                return None  # they change where NOTs are asked
            case _:
                assert_never(register.kind)

    def _anchor(self, register: Register) -> str | None:
        """The last event before an AND that the event begins."""
        before = dict(self.item.anchors).get(cast("str", register.of))
        if before is None or self.begins:
            return None
        events = [self.old(Register("last", variable)) for variable in before]
        if len(events) == 1:
            return events[0]
        return f"max({', '.join(events)}, key={self.code.source.name(itemgetter(NUMBER), 'k')})"

    def _with_looks(self, register: Register, base: str) -> str | None:
        number, variable = cast("tuple[int, str]", register.of)
        if variable != self.variable:
            return None
        c = next(c for c in self.conditions.conditions if c.number == number)
        looked = ", ".join(["e", *self.code.looks(c, variable, self.old)])
        return f"(({looked}),)" if base == "None" else f"(*({base} or ()), ({looked}))"

    def _aggregated(self, register: Register, base: str) -> str | None:
        e = self.conditions.registers.aggregates[register]
        return self.code.aggregate_with(e, base, "e") if e.variable == self.variable else None

    def _until(self, register: Register) -> str | None:
        start = cast("int", register.of)
        inside = any(u.start == start for u in self.item.untils)
        waiting = not self.begins and start in self.before.untils and start in self.after.untils and not inside
        if self.conditions.interleaved and waiting:
            return None
        return self._position(start)

    def _position(self, start: int) -> str:
        """How far the events that may end a repetition have been looked at, with the event."""
        alone = all(ending.alone for ending in self.conditions.stops[start])
        return f"p.stops[{start}].count(e[1])" if alone else "e[1]"

    def _sides(self, register: Register, base: str) -> str | None:
        around = self.conditions.scopes.alternatives
        taken = {
            (side.key[0], side.index)
            for side in self.item.sides
            if register.scope is None or register.scope in around[side.key[0]]
        }
        if not taken:
            return None
        name = self.code.source.name(frozenset(taken), "s")
        return name if base == "None" else f"(({base} or {name}) | {name})"

    # What is asked.

    def _ask_of_time(self) -> None:
        if self.begins:
            return
        item, registers = self.item, self.conditions.registers
        if item.link is Link.STRICT:
            self.refuse(f"e[2] != {self.old(SEEN)}")
        if self.conditions.interleaved:
            for variable in item.before or ():
                self.refuse(f"e[0] <= {self.old(Register('last', variable))}[0]")
        for floor in item.floors:
            duration = micros(self.code.negation(floor).duration or timedelta(0))
            self.asked.append(f"after {self.conditions.negation_text(floor.variable)}")
            self.refuse(f"e[0] <= {self.code.time_of(floor, self.old)} + {duration}")
        for i, (variables, width) in enumerate(self.conditions.windows):
            if self.variable in variables:
                self.asked.append(self.conditions.window_text(variables, width))
                register = Register("window", i)
                if register not in registers:
                    if self.in_time != f"{self.old(FIRST)} + {width}":
                        self.refuse(f"e[0] - {self.old(FIRST)} > {width}")
                elif self.old(register) != "None":
                    self.refuse(f"{self.old(register)} is not None and e[0] - {self.old(register)} > {width}")

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
            self.refuse(f"{found}.count(e[1]) != {self.old(Register('until', until.start))}")
        else:
            self.refuse(f"{found}.has(e[1])")

    def _ask_until(self, until: StopScope) -> None:
        since = self.old(Register("until", until.start)) if until.counts and not self.begins else "e[1] - 1"
        for ending in self.conditions.stops[until.start]:
            c = ending.condition
            events = {ending.name: "e"}
            if any(self.old(self.conditions.registers.events(c, v)) == "None" for v in c.plain if v not in events):
                continue  # it speaks of an event that has not come
            test = self.code.holds(c, self.old, tested=ending.name, owner="n")
            bound = " and ".join(self.old(self.conditions.registers.events(c, v)) for v in c.plain if v != ending.name)
            test = f"({bound}) and {test}" if bound else test
            self.refuse(f"any({test} for n in p.stops[{ending.name!r}].since({since}, e[1]))")

    def _ask_of_ended_repetitions(self) -> None:
        """Of repetitions that end with this event, what was not decided before."""
        if self.begins:
            return
        for c in self.conditions.joins:
            if c.scope in self.item.quits and self._undecided(c):
                self.demand(self._asked_of_all(c, self.old), c.text)

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
                    self.demand(self._asked_of_all(c, self.new), c.text)
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
            return self.new(register) if register.kind == "sides" else self.base(register)

        self.demand(self.code.holds(c, read, tested=tested), c.text)

    def _ask_absences(self) -> None:
        for absence in self.item.absences:
            if absence.before is None and self.code.negation(absence).duration is None:
                continue  # it looks at what lies before the first event, when the last one is known
            self._now_or_later(absence)

    def _now_or_later(self, absence: PassedNegation) -> None:
        code, variable = self.code, absence.variable
        if absence.before is None and self.begins:
            interval = code.interval(absence, lambda _: "e[0]", "e[0]")
        else:
            interval = code.interval(absence, self.old, "e[0]")
        levels = self.conditions.negation_joins(variable)
        ended = self.item.quits - absence.enters
        rows = f"{code.candidates(variable)}.of({interval})"
        if self._is_decided(variable, levels, ended):
            self._decide(variable, rows, levels, ended)
            return
        asked = sum(level[0].scope in ended for level in levels)
        register = undecided(variable, asked, opening=False)
        if asked:
            self._keep(register, code.suspects(variable, rows, levels[:asked], lambda _: self.old))
        else:
            self._keep(register, f"({interval},)")

    def _is_decided(self, variable: str, levels: JoinLevels, ended: frozenset[int]) -> bool:
        """Whether nothing comes any more that some JOINs of a NOT speak of; `ended`: the repetitions it stands in."""
        return all(
            c.scope in ended or not self.after.may([v for v in c.variables if v != variable], c.scope)
            for level in levels
            for c in level
        )

    def _ask_pending_absences(self) -> None:
        """Of NOTs of which the JOINs could not be asked before; of those in repetitions that end, what can be."""
        code, ended = self.code, self.item.quits
        for variable in self.conditions.scopes.negations:
            levels = self.conditions.negation_joins(variable)
            for asked, level in enumerate(levels):
                pending = self._known(undecided(variable, asked, opening=False))
                if pending == "None":
                    continue
                rows = code.undecided(variable, asked, pending)
                if self._is_decided(variable, levels[asked:], ended):
                    self._changed[undecided(variable, asked, opening=False)] = "None"
                    self._decide(variable, rows, levels[asked:], ended)
                elif level[0].scope in ended:
                    self._pass_on(variable, rows, asked, opening=False)
            self._ask_opening_absence(variable)

    def _ask_opening_absence(self, variable: str) -> None:
        """Of a NOT that stands first, what the end of its repetitions decides: the others wait for the last event."""
        if self.conditions.scopes.negations[variable].duration is not None:
            return
        for asked, level in enumerate(self.conditions.negation_joins(variable)):
            pending = self._known(undecided(variable, asked, opening=True))
            if level[0].scope in self.item.quits and pending != "None":
                before = self.code.before(variable, "e[0]", self.old(FIRST))
                rows = f"({pending} or ())" if asked else f"({before} if {pending} else ())"
                self._pass_on(variable, rows, asked, opening=True)

    def _pass_on(self, variable: str, rows: str, asked: int, *, opening: bool) -> None:
        """Ask candidates of a repetition that ends one level more: only what surrounds it may still allow them."""
        level = self.conditions.negation_joins(variable)[asked : asked + 1]
        self._changed[undecided(variable, asked, opening=opening)] = "None"
        kept = self.code.suspects(variable, rows, level, lambda _: self.old)
        self._keep(undecided(variable, asked + 1, opening=opening), kept)

    def _known(self, register: Register) -> str:
        """A register as what was asked so far leaves it."""
        return self._changed.get(register, self.old(register))

    def _keep(self, register: Register, rows: str) -> None:
        """Add to a register of a tuple; `None` stands for nothing, so that matches with nothing stay alike."""
        known = self._known(register)
        name = f"w{len(self._written)}"
        before = "" if known == "None" else f"*({known} or ()), "
        self._written.append(f"{name} = ({before}*{rows},) or None")
        self._changed[register] = name

    def _decide(self, variable: str, rows: str, levels: JoinLevels, ended: frozenset[int]) -> None:
        """Refuse the event if one of a NOT's candidates is forbidden; if that is for others to say, keep those."""
        self.asked.append(self.conditions.negation_text(variable))

        def read(c: JoinCondition) -> Read:
            return self.old if c.scope in ended else self.new

        if variable in self.conditions.doubtful:
            self._keep(Register("doubtful", variable), self.code.suspects(variable, rows, levels, read))
        else:
            self.refuse(self.code.present(variable, rows, levels, read))
