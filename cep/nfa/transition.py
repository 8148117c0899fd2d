"""The steps of a pattern: what is asked of an event, and the run with it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, cast

from ...expressions import micros
from ...language.nodes import Link
from .join_conditions import Condition, Levels
from .pattern_items import Absence, Thread, Until
from .registers import FIRST, SEEN, Outlook, Slot, undecided

if TYPE_CHECKING:
    from .generated_functions import Functions, Read
    from .stages import Stage

__all__ = ["Taking"]


class Taking:
    """The function of one step: what is asked of the event, and the run with it."""

    def __init__(self, functions: Functions, stage: Stage, thread: Thread, target: Stage, *, begins: bool) -> None:
        self.functions, self.program = functions, functions.program
        self.stage, self.thread, self.target, self.begins = stage, thread, target, begins
        self.variable = cast("str", thread.variable)
        self.before: Outlook = stage.view
        self.after: Outlook = target.view
        self.groups = self.program.places.groups[self.variable]
        self._written: list[str] = []
        self._changed: dict[Slot, str] = {}

    def lines(self) -> list[str]:
        """The function's lines."""
        self._ask_of_time()
        self._ask_untils()
        self._ask_of_ended_repetitions()
        self._ask_joins()
        self._ask_pending_absences()
        self._ask_absences()
        slots = self.program.slots
        values = [self.new(slot) if slot in self.target.live else "None" for slot in slots]
        self._written.append(f"return ({', '.join(values)},)")
        return self._written

    def demand(self, test: str) -> None:
        """The event satisfies the element only if the test is true."""
        if test != "True":
            self._written.append(f"if not {test}: return None")

    def refuse(self, test: str) -> None:
        """The event does not satisfy the element if the test is true."""
        self._written.append(f"if {test}: return None")

    # Slots.

    def old(self, slot: Slot) -> str:
        """A slot before the event."""
        return "None" if self.begins or slot not in self.stage.live else f"r[{self.program.slots.place(slot)}]"

    def base(self, slot: Slot) -> str:
        """The same, in the repetition that the event is part of."""
        return "None" if slot.scope is not None and slot.scope in self.thread.enters else self.old(slot)

    def new(self, slot: Slot) -> str:
        """A slot with the event."""
        if slot not in self._changed:
            value = self._updated(slot)
            if value is None:
                self._changed[slot] = self.base(slot)
            elif value in ("e", "e[0]", "e[1]", "True"):
                self._changed[slot] = value
            else:
                name = f"v{self.program.slots.place(slot)}"
                self._written.append(f"{name} = {value}")
                self._changed[slot] = name
        return self._changed[slot]

    def _updated(self, slot: Slot) -> str | None:  # noqa: C901 - one case per kind of slot
        base = self.base(slot)
        match slot.kind:
            case "first":
                return "e[0]" if self.begins else None
            case "number":
                return "e[1]" if self.begins else None
            case "seen":
                return "e[1]"
            case "window":
                if self.variable not in self.program.windows[cast("int", slot.of)][0]:
                    return None
                return "e[0]" if base == "None" else f"e[0] if {base} is None else {base}"
            case "last" | "one":
                return "e" if slot.of == self.variable else None
            case "many":
                if slot.of != self.variable:
                    return None
                return "(e,)" if base == "None" else f"(*({base} or ()), e)"
            case "looked":
                return self._with_looks(slot, base)
            case "aggregate":
                return self._aggregated(slot, base)
            case "opening":
                opens = any(a.variable == slot.of and a.before is None for a in self.thread.absences)
                return "True" if opens else None
            case "until":
                return self._until(slot)
            case "sides":
                return self._sides(slot, base)
            case _:
                return None

    def _with_looks(self, slot: Slot, base: str) -> str | None:
        number, variable = cast("tuple[int, str]", slot.of)
        if variable != self.variable:
            return None
        c = next(c for c in self.program.conditions if c.number == number)
        looked = ", ".join(["e", *self.functions.looks(c, variable, self.old)])
        return f"(({looked}),)" if base == "None" else f"(*({base} or ()), ({looked}))"

    def _aggregated(self, slot: Slot, base: str) -> str | None:
        e = self.program.slots.aggregates[slot]
        return self.functions.aggregate_with(e, base, "e") if e.variable == self.variable else None

    def _until(self, slot: Slot) -> str | None:
        start = cast("int", slot.of)
        inside = any(u.start == start for u in self.thread.untils)
        waiting = not self.begins and start in self.before.untils and start in self.after.untils and not inside
        if self.program.interleaved and waiting:
            return None
        return self._position(start)

    def _position(self, start: int) -> str:
        """How far the events that may end a repetition have been looked at, with the event."""
        alone = all(ending.alone for ending in self.program.endings[start])
        return f"p.endings[{start}].count(e[1])" if alone else "e[1]"

    def _sides(self, slot: Slot, base: str) -> str | None:
        places = self.program.places
        taken = {
            (side.key[0], side.index)
            for side in self.thread.sides
            if slot.scope is None or slot.scope in places.alternatives[side.key[0]]
        }
        if not taken:
            return None
        name = self.functions.source.name(frozenset(taken), "s")
        return name if base == "None" else f"(({base} or {name}) | {name})"

    # What is asked.

    def _ask_of_time(self) -> None:
        if self.begins:
            return
        thread, slots = self.thread, self.program.slots
        if thread.link is Link.STRICT:
            self.refuse(f"e[2] != {self.old(SEEN)}")
        if self.program.interleaved:
            for variable in thread.before or ():
                self.refuse(f"e[0] <= {self.old(Slot('last', variable))}[0]")
        for floor in thread.floors:
            duration = micros(self.functions.negation(floor).duration or timedelta(0))
            self.refuse(f"e[0] <= {self.functions.time_of(floor, self.old)} + {duration}")
        for i, (variables, width) in enumerate(self.program.windows):
            if self.variable in variables:
                slot = Slot("window", i)
                if slot not in slots:
                    self.refuse(f"e[0] - {self.old(FIRST)} > {width}")
                elif self.old(slot) != "None":
                    self.refuse(f"{self.old(slot)} is not None and e[0] - {self.old(slot)} > {width}")

    def _ask_untils(self) -> None:
        for until in self.thread.untils:
            if all(ending.alone for ending in self.program.endings[until.start]):
                self._ask_common_until(until)
            else:
                self._ask_until(until)

    def _ask_common_until(self, until: Until) -> None:
        found = f"p.endings[{until.start}]"
        if until.counts and not self.begins:
            self.refuse(f"{found}.count(e[1]) != {self.old(Slot('until', until.start))}")
        else:
            self.refuse(f"{found}.has(e[1])")

    def _ask_until(self, until: Until) -> None:
        since = self.old(Slot("until", until.start)) if until.counts and not self.begins else "e[1] - 1"
        for ending in self.program.endings[until.start]:
            c = ending.condition
            events = {ending.name: "e"}
            if any(self.old(self.program.slots.events(c, v)) == "None" for v in c.plain if v not in events):
                continue  # it speaks of an event that has not come
            test = self.functions.holds(c, self.old, tested=ending.name, owner="n")
            bound = " and ".join(self.old(self.program.slots.events(c, v)) for v in c.plain if v != ending.name)
            test = f"({bound}) and {test}" if bound else test
            self.refuse(f"any({test} for n in p.endings[{ending.name!r}].since({since}, e[1]))")

    def _ask_of_ended_repetitions(self) -> None:
        """Of repetitions that end with this event, what was not decided before."""
        if self.begins:
            return
        for c in self.program.joins:
            if c.scope in self.thread.quits and self._undecided(c):
                self.demand(self._asked_of_all(c, self.old))

    def _undecided(self, c: Condition) -> bool:
        return bool(c.aggregates) and self.before.may((e.variable for e in c.aggregates), c.scope)

    def _asked_of_all(self, c: Condition, read: Read) -> str:
        """A condition that is asked once all is known; of a repetition only if it has any of its variables."""
        written = self.functions.holds(c, read, whole=True)
        if c.scope is None or c.plain:
            return written
        states = [read(self.program.slots.aggregate(e, c.scope)) for e in c.aggregates]
        if "None" in states and all(state == "None" for state in states):
            return "True"
        empty = " and ".join(f"{state} is None" for state in states)
        return f"(({empty}) or {written})"

    def _ask_joins(self) -> None:
        for c in self.program.joins:
            if c.aggregates:
                if self._is_complete(c) and (self._was_incomplete(c) or self.variable in c.variables):
                    self.demand(self._asked_of_all(c, self.new))
            elif self.variable in c.variables:
                tested = self.variable if self.variable in c.plain else None
                self._ask_of_event(c, tested)

    def _is_complete(self, c: Condition) -> bool:
        if c.scope is not None and c.scope not in self.groups:
            return False
        return not self.after.may((e.variable for e in c.aggregates), c.scope)

    def _was_incomplete(self, c: Condition) -> bool:
        return self.begins or c.scope in self.thread.enters or self._undecided(c)

    def _ask_of_event(self, c: Condition, tested: str | None) -> None:
        """A condition of single events, with the new one, or that looks back from it."""

        def read(slot: Slot) -> str:
            return self.new(slot) if slot.kind == "sides" else self.base(slot)

        self.demand(self.functions.holds(c, read, tested=tested))

    def _ask_absences(self) -> None:
        functions = self.functions
        for absence in self.thread.absences:
            if absence.before is None and functions.negation(absence).duration is None:
                continue  # it looks at what lies before the first event, when the last one is known
            self._now_or_later(absence)

    def _now_or_later(self, absence: Absence) -> None:
        functions, variable = self.functions, absence.variable
        if absence.before is None and self.begins:
            interval = functions.interval(absence, lambda _: "e[0]", "e[0]")
        else:
            interval = functions.interval(absence, self.old, "e[0]")
        levels = self.program.absent_joins(variable)
        ended = self.thread.quits - absence.enters
        rows = f"{functions.candidates(variable)}.of({interval})"
        if self._is_decided(variable, levels, ended):
            self._decide(variable, rows, levels, ended)
            return
        asked = sum(level[0].scope in ended for level in levels)
        slot = undecided(variable, asked, opening=False)
        if asked:
            self._keep(slot, functions.suspects(variable, rows, levels[:asked], lambda _: self.old))
        else:
            self._keep(slot, f"({interval},)")

    def _is_decided(self, variable: str, levels: Levels, ended: frozenset[int]) -> bool:
        """Whether nothing comes any more that some JOINs of a NOT speak of; `ended`: the repetitions it stands in."""
        return all(
            c.scope in ended or not self.after.may([v for v in c.variables if v != variable], c.scope)
            for level in levels
            for c in level
        )

    def _ask_pending_absences(self) -> None:
        """Of NOTs of which the JOINs could not be asked before; of those in repetitions that end, what can be."""
        functions, ended = self.functions, self.thread.quits
        for variable in self.program.places.negations:
            levels = self.program.absent_joins(variable)
            for asked, level in enumerate(levels):
                pending = self._known(undecided(variable, asked, opening=False))
                if pending == "None":
                    continue
                rows = functions.undecided(variable, asked, pending)
                if self._is_decided(variable, levels[asked:], ended):
                    self._changed[undecided(variable, asked, opening=False)] = "None"
                    self._decide(variable, rows, levels[asked:], ended)
                elif level[0].scope in ended:
                    self._pass_on(variable, rows, asked, opening=False)
            self._ask_opening_absence(variable)

    def _ask_opening_absence(self, variable: str) -> None:
        """Of a NOT that stands first, what the end of its repetitions decides: the others wait for the last event."""
        if self.program.places.negations[variable].duration is not None:
            return
        for asked, level in enumerate(self.program.absent_joins(variable)):
            pending = self._known(undecided(variable, asked, opening=True))
            if level[0].scope in self.thread.quits and pending != "None":
                before = self.functions.before(variable, "e[0]", self.old(FIRST))
                rows = f"({pending} or ())" if asked else f"({before} if {pending} else ())"
                self._pass_on(variable, rows, asked, opening=True)

    def _pass_on(self, variable: str, rows: str, asked: int, *, opening: bool) -> None:
        """Ask candidates of a repetition that ends one level more: only what surrounds it may still allow them."""
        level = self.program.absent_joins(variable)[asked : asked + 1]
        self._changed[undecided(variable, asked, opening=opening)] = "None"
        kept = self.functions.suspects(variable, rows, level, lambda _: self.old)
        self._keep(undecided(variable, asked + 1, opening=opening), kept)

    def _known(self, slot: Slot) -> str:
        """A slot as what was asked so far leaves it."""
        return self._changed.get(slot, self.old(slot))

    def _keep(self, slot: Slot, rows: str) -> None:
        """Add to a slot that is a tuple, or `None` if there is nothing in it: so that runs with nothing stay alike."""
        known = self._known(slot)
        name = f"w{len(self._written)}"
        before = "" if known == "None" else f"*({known} or ()), "
        self._written.append(f"{name} = ({before}*{rows},) or None")
        self._changed[slot] = name

    def _decide(self, variable: str, rows: str, levels: Levels, ended: frozenset[int]) -> None:
        """Refuse the event if one of a NOT's candidates is forbidden; if that is for others to say, keep those."""

        def read(c: Condition) -> Read:
            return self.old if c.scope in ended else self.new

        if variable in self.program.doubtful:
            self._keep(Slot("doubtful", variable), self.functions.suspects(variable, rows, levels, read))
        else:
            self.refuse(self.functions.present(variable, rows, levels, read))
