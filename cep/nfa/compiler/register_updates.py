"""What registers hold before an event and with it, as Python source."""

from __future__ import annotations

from operator import itemgetter
from typing import assert_never, cast

from ..automaton import PatternItem
from ..event_layout import NUMBER
from .code_generator import CodeGenerator
from .registers import Register
from .states import State

__all__ = ["RegisterUpdates"]

_AT_HAND = ("e", "e[0]", "e[1]", "True")


class RegisterUpdates:
    """The registers of the partial matches that a transition takes an event for.

    Args:
        code: compiles.
        state: the state that the transition leads on from.
        item: the element that the event is taken for.
        target: the state that it leads to.
        begins: whether the event is the first.

    Attributes:
        lines: what has been written so far; registers are computed where they are asked for first.
    """

    def __init__(self, code: CodeGenerator, state: State, item: PatternItem, target: State, *, begins: bool) -> None:
        self.code, self.conditions = code, code.conditions
        self.state, self.item, self.target, self.begins = state, item, target, begins
        self.variable = cast("str", item.variable)
        self.lines: list[str] = []
        self._changed: dict[Register, str] = {}

    def values(self) -> str:
        """All registers with the event, as a tuple."""
        values = (self.new(r) if r in self.target.live else "None" for r in self.conditions.registers)
        return f"({', '.join(values)},)"

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
            elif value in _AT_HAND:
                self._changed[register] = value
            else:
                name = f"y{self.conditions.registers.place(register)}"  # no name of `ScalarSource` begins so
                self.lines.append(f"{name} = {value}")
                self._changed[register] = name
        return self._changed[register]

    def known(self, register: Register) -> str:
        """A register as what was asked so far leaves it."""
        return self._changed.get(register, self.old(register))

    def put(self, register: Register, value: str) -> None:
        """Let a register have a value with the event."""
        self._changed[register] = value

    def keep(self, register: Register, rows: str) -> None:
        """Add to a register of a tuple; `None` stands for nothing, so that matches with nothing stay alike."""
        known = self.known(register)
        name = f"w{len(self.lines)}"
        before = "" if known == "None" else f"*({known} or ()), "
        self.lines.append(f"{name} = ({before}*{rows},) or None")
        self._changed[register] = name

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
        under_way = self.state.ahead.untils & self.target.ahead.untils
        waiting = not self.begins and start in under_way and not inside
        if self.conditions.interleaved and waiting:
            return None
        # How far the events that may end the repetition have been looked at, with the event.
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
