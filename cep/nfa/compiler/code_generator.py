"""Functions of transitions and ends, written as Python source for one query and compiled by Python.

In a function `r` is the run's tuple, `e` the event (`layout`), `p` the partition with `absent` and `stops`, `t` the
time stamp of the run's last event. Of a register there is what it was before the event, and what it is with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, assert_never, cast

from ....expressions import ScalarSource, accumulator_of, micros
from ....language.nodes import Aggregate, Binding, Call, Column, CorrelationWindow, Negation
from ...order import UNBOUNDED
from ..automaton import PassedNegation
from ..event_layout import NUMBER, place_of
from .join_conditions import JoinCondition, JoinLevels, LookBack, variable_of
from .pattern_conditions import PatternConditions
from .registers import FIRST, Register
from .states import State

__all__ = ["CodeGenerator", "Read"]

Read = Callable[[Register], str]
"""The source of a register's value."""


class CodeGenerator:
    """Writes and compiles functions; what they speak of is in `source.names`.

    Args:
        conditions: the query's.
        within: the bounds of WITHIN in microseconds, both included.

    Attributes:
        width: the shortest WINDOW.
    """

    def __init__(self, conditions: PatternConditions, within: tuple[int, int]) -> None:
        self.conditions = conditions
        self.source = ScalarSource()
        self.within = within
        widths = [micros(w.width) for w in conditions.query.windows if isinstance(w, CorrelationWindow)]
        self.width = min(widths, default=UNBOUNDED)

    def compiled(self, parameters: str, lines: Iterable[str]) -> Any:
        """The function with these lines."""
        text = f"def function({parameters}):\n" + "\n".join(f"    {line}" for line in lines)
        space: dict[str, Any] = {}
        exec(compile(text, "<step of a pattern>", "exec"), self.source.names, space)  # noqa: S102 - written above
        return space["function"]

    def deadline(self, state: State) -> Callable[[Any], int]:
        """The last moment at which an event can be of use to a run."""
        latest = [self.latest(item.variable) for item in state.items if item.variable is not None]
        if not latest or None in latest:
            bound = str(UNBOUNDED if None in latest else -UNBOUNDED)
            return self.compiled("r", [f"return {bound}"])  # type: ignore[no-any-return]
        distinct = list(dict.fromkeys(w for w in latest if w is not None))
        return self.compiled("r", [f"return {_extreme('max', distinct)}"])  # type: ignore[no-any-return]

    def latest_of_all(self, state: State) -> str | None:
        """Source of the last moment at which an event can be of use, if that is told by the first event alone."""
        latest = {self.latest(item.variable) for item in state.items if item.variable is not None}
        (only, *others) = latest or (None,)
        return only if only is not None and not others and only.startswith("r[0]") else None

    def latest(self, variable: str) -> str | None:
        """Source of the last moment at which an event of a variable can be of use; `None`: there is none."""
        found = []
        for i, (variables, width) in enumerate(self.conditions.windows):
            if variable in variables:
                register = Register("window", i)
                if register not in self.conditions.registers:
                    found.append(f"r[0] + {width}")
                else:
                    first = f"r[{self.conditions.registers.place(register)}]"
                    found.append(f"({UNBOUNDED} if {first} is None else {first} + {width})")
        return _extreme("min", found) if found else None

    # Conditions, as expressions.

    def holds(
        self, c: JoinCondition, read: Read, tested: str | None = None, owner: str = "e", *, whole: bool = False
    ) -> str:
        """Source that is true unless a condition is false.

        Args:
            c: the condition.
            read: the registers.
            tested: the variable of the one event that is new, if the condition speaks of it.
            owner: what that event is called.
            whole: what the condition looks back from are all events of a run, not the new one.
        """
        events = {tested: owner} if tested is not None else {}
        iterated = tuple(dict.fromkeys((*c.plain, *c.looked))) if whole else c.plain
        others = [v for v in iterated if v != tested]
        for i, variable in enumerate(others):
            events[variable] = f"x{c.number if c.number >= 0 else f'u{-c.number}'}_{i}"
        written = self._truth(c, read, events, owner)
        for variable in reversed(others):
            written = self._for_all(c, variable, events[variable], read, written)
        left_out = self._left_out(c, read)
        return f"({left_out} or {written})" if left_out else written

    def _for_all(self, c: JoinCondition, variable: str, name: str, read: Read, written: str) -> str:
        register = self.conditions.registers.events(c, variable)
        value = read(register)
        if value == "None":
            return "True"
        if register.kind in ("many", "looked"):
            each = f"{name}, *{name}_looks" if register.kind == "looked" else name
            return f"all({written} for {each} in ({value} or ()))"
        return f"(({name} := {value}) is None or {written})"

    def _truth(self, c: JoinCondition, read: Read, events: dict[str, str], owner: str) -> str:
        """The test itself; an UNTIL is not excused by what stands before a run (its number is negative)."""

        def leaf(node: Column | Binding | Aggregate | Call) -> str:
            match node:
                case Column() | Binding():
                    return f"{events[node.variable]}[{place_of(node)}]"
                case Aggregate(running=False):
                    return self.aggregate_value(node, read(self.conditions.registers.aggregate(node, c.scope)))
                case Aggregate() | Call():
                    name = events.get(variable_of(node), owner)
                    if name != owner:
                        return f"{name}_looks[{self._own_looks(c, variable_of(node)).index(node)}]"
                    return self.look(node, read)
                case _:
                    assert_never(node)

        def known(node: Column | Binding | Aggregate | Call) -> str:
            if isinstance(node, Column | Binding) or (isinstance(node, Aggregate) and not node.running):
                return leaf(node)
            return self.look(node, read, certain=True)

        if not c.looks:
            return self.source.truth(c.test, leaf)
        cautious = self.source.cautious(c.test, leaf, excused=c.number >= 0)
        if any(events.get(v, owner) != owner for v in c.looked):
            return cautious
        guards = {guard for look in c.looks if (guard := self.guard(look, read)) is not None}
        if "None" in guards or len(guards) > 1:
            return cautious
        plain = self.source.truth(c.test, known)
        return f"({plain} if {guards.pop()} is not None else {cautious})" if guards else plain

    def _own_looks(self, c: JoinCondition, variable: str) -> list[object]:
        return [look for look in c.looks if variable_of(look) == variable]

    def looks(self, c: JoinCondition, variable: str, read: Read) -> list[str]:
        """What a condition looks back at from an event of a variable, registers as they are before it."""
        return [self.look(look, read) for look in c.looks if variable_of(look) == variable]

    def guard(self, node: LookBack, read: Read) -> str | None:
        """The register that is `None` where a PREV or RUNNING sees nothing; `None`: it has a value all the same."""
        if isinstance(node, Aggregate):
            if accumulator_of(node).value(None) is not None:
                return None
            return read(self.conditions.registers.aggregate(node, None))
        return read(Register("last", variable_of(node)))

    def look(self, node: LookBack, read: Read, *, certain: bool = False) -> str:
        """A PREV or a RUNNING aggregate, before the event; `certain`: there is something before it."""
        if isinstance(node, Aggregate):
            found = self.aggregate_value(node, read(self.conditions.registers.aggregate(node, None)))
        else:
            argument = cast("Column | Binding", node.arguments[0])
            found = f"{read(Register('last', argument.variable))}[{place_of(argument)}]"
        guard = self.guard(node, read)
        if guard is None or certain:
            return found
        return "NOTHING" if guard == "None" else f"(NOTHING if {guard} is None else {found})"

    def aggregate_value(self, e: Aggregate, state: str) -> str:
        """An aggregate from its state."""
        return f"{self.source.name(accumulator_of(e).value, 'v')}({state})"

    def aggregate_with(self, e: Aggregate, state: str, event: str) -> str:
        """The state of an aggregate with one event more."""
        accumulator = accumulator_of(e)
        if accumulator.in_place is not None:
            return accumulator.in_place.format(state=state)
        value = f"{event}[{place_of(cast('Column', e.argument)) if e.argument is not None else NUMBER}]"
        return f"{self.source.name(accumulator.add, 'a')}({state}, {value})"

    def _left_out(self, c: JoinCondition, read: Read) -> str | None:
        """Source that is true when a variable of a condition is unbound because of another side of an OR."""
        branches = self.conditions.scopes.others
        states = [(e.variable, self.conditions.registers.aggregate(e, c.scope)) for e in c.aggregates]
        states += [(variable, Register("last", variable)) for variable in sorted(c.looked)]
        tests = []
        for variable, state in states if c.number >= 0 else ():
            wanted = frozenset(side for side, others in branches.items() if variable in others)
            if wanted:
                empty = f"{read(state)} is None"
                sides = read(Register("sides", None, c.scope))
                tests.append(f"({empty} and not {self.source.name(wanted, 's')}.isdisjoint({sides} or ()))")
        return f"({' or '.join(tests)})" if tests else None

    # NOT.

    def present(self, variable: str, rows: str, levels: JoinLevels, read: Callable[[JoinCondition], Read]) -> str:
        """Source that is true when one of some candidates of a NOT satisfies some of its JOINs."""
        written = self._forbids(variable, levels, read)
        return f"any({written} for n in {rows})" if written else rows

    def suspects(self, variable: str, rows: str, levels: JoinLevels, read: Callable[[JoinCondition], Read]) -> str:
        """Source of those of some candidates of a NOT that satisfy some of its JOINs."""
        written = self._forbids(variable, levels, read)
        return f"(n for n in {rows} if {written})" if written else rows

    def _forbids(self, variable: str, levels: JoinLevels, read: Callable[[JoinCondition], Read]) -> str:
        joins = [c for level in levels for c in level]
        return " and ".join(self.holds(c, read(c), tested=variable, owner="n") for c in joins)

    def undecided(self, variable: str, asked: int, pending: str) -> str:
        """Source of the candidates that a register `registers.undecided` of a NOT that does not stand first holds."""
        if asked:
            return f"({pending} or ())"
        return f"[n for i in ({pending} or ()) for n in {self.candidates(variable)}.of(i)]"

    def before(self, variable: str, last: str, first: str) -> str:
        """Source of the candidates that a NOT looks at which stands first, `last` being T of the last event."""
        return f"{self.candidates(variable)}.between({last} - {self.width}, {first} - 1)"

    def interval(self, absence: PassedNegation, read: Read, following: str | None, *, checked: bool = False) -> str:
        """Where a NOT looks, as a tuple: both ends, included, or the number of the event before.

        Args:
            absence: the NOT; not one that stands first without FOR.
            read: the registers.
            following: the time stamp of the event after it; `None`: it is the last of the pattern.
            checked: of EVERY, whether all before the moment `o` was looked at.
        """
        negation = self.negation(absence)
        duration, since = negation.duration, micros(negation.since) + 1
        first = read(FIRST)
        if duration is not None:
            if absence.before is None:
                return f"({first} - {micros(duration)}, {first} - 1)"
            last = self.time_of(absence, read)
            if negation.every is not None:  # up to the moment, or just before it
                begin = f"max({last} + {since}, o)" if checked else f"{last} + {since}"
                return f"({begin}, m)" if negation.timer else f"({begin}, m - 1)"
            return f"({last} + {since}, {last} + {micros(duration)})"
        if absence.strict:
            return f"({self.number_of(absence, read)},)"
        begin = f"{self.time_of(absence, read)} + {since}" if absence.before is not None else "t + 1"
        if following is None:
            return f"({begin if negation.since else 't + 1'}, {first} + {self.width})"
        return f"({begin}, {following} - 1)"

    def in_width(self, absence: PassedNegation, read: Read) -> str:
        """Source that is true when a timer's moment, of EVERY the first one, lies within the shortest WINDOW."""
        return f"{self.first_moment(absence, read)} <= {read(FIRST)} + {self.conditions.longest}"

    def first_moment(self, absence: PassedNegation, read: Read) -> str:
        """Source of the end of a NOT's interval, of EVERY of the first one."""
        return f"{self.time_of(absence, read)} + {micros(self.negation(absence).duration or timedelta(0))}"

    def negation(self, absence: PassedNegation) -> Negation:
        """The NOT."""
        return self.conditions.scopes.negations[absence.variable]

    def time_of(self, absence: PassedNegation, read: Read) -> str:
        """T of the last event before a NOT."""
        return _extreme("max", [f"{read(Register('last', v))}[0]" for v in absence.before or ()])

    def number_of(self, absence: PassedNegation, read: Read) -> str:
        """The number of the last event before a NOT."""
        return _extreme("max", [f"{read(Register('last', v))}[1]" for v in absence.before or ()])

    def candidates(self, variable: str) -> str:
        """The candidates of a NOT's variable."""
        return f"p.absent[{variable!r}]"


def _extreme(function: str, values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{function}({', '.join(values)})"
