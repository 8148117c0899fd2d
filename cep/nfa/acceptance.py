"""The ends of a pattern: whether a run that comes to one is a match, and when that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...expressions import micros
from .join_conditions import Condition
from .pattern_items import Absence, Thread
from .registers import FIRST, Slot, undecided
from .stages import Finish

if TYPE_CHECKING:
    from .generated_functions import Functions, Read
    from .stages import Stage

__all__ = ["finish_of"]


def finish_of(functions: Functions, stage: Stage, thread: Thread, number: int) -> Finish:
    """The end that a thread without a variable is; `number`: which of its stage's."""
    writing = _Finishing(functions, stage, thread)
    lines = writing.lines()
    ends = writing.ends()
    together = functions.program.together
    awaited = [a for a in thread.absences if writing.is_strict(a)]
    return Finish(
        place=(stage.number, number),
        leaves=thread.leaves,
        holds=functions.compiled("r, t, p", [*lines, "return True"]) if lines else None,
        due=functions.compiled("r, t", [f"return max(t, {', '.join(ends)})"]) if ends else None,
        awaits=functions.compiled("r", [f"return {functions.number_of(awaited[0], writing.read)}"])
        if awaited
        else None,
        rest=functions.compiled("r, t, p", [f"return {writing.rest()}"]) if together else None,
    )


class _Finishing:
    """What is asked of a run at the end."""

    def __init__(self, functions: Functions, stage: Stage, thread: Thread) -> None:
        self.functions, self.program = functions, functions.program
        self.stage, self.thread = stage, thread
        self._doubtful: dict[str, list[str]] = {variable: [] for variable in self.program.doubtful}

    def read(self, slot: Slot) -> str:
        """A slot of the run, with the sides of ORs that the end takes."""
        value = f"r[{self.program.slots.place(slot)}]" if slot in self.stage.live else "None"
        if slot.kind != "sides":
            return value
        around = self.program.places.alternatives
        taken = {(s.key[0], s.index) for s in self.thread.sides if slot.scope is None or slot.scope in around[s.key[0]]}
        name = self.functions.source.name(frozenset(taken), "s")
        return f"(({value} or {name}) | {name})"

    def lines(self) -> list[str]:
        """What refuses a run."""
        tests = [f"if not {self._asked(c)}: return False" for c in self.program.joins if self._is_undecided(c)]
        return [*tests, *self._pending(), *self._opening(), *self._absent()]

    def _is_undecided(self, c: Condition) -> bool:
        return bool(c.aggregates) and self.stage.view.may((e.variable for e in c.aggregates), c.scope)

    def _asked(self, c: Condition) -> str:
        written = self.functions.holds(c, self.read, whole=True)
        if c.scope is None or c.plain:
            return written
        empty = " and ".join(f"{self.read(self.program.slots.aggregate(e, c.scope))} is None" for e in c.aggregates)
        return f"(({empty}) or {written})"

    def _reading(self, _: Condition) -> Read:
        return self.read

    def _refused(self, variable: str, rows: str, given: str = "True", asked: int = 0) -> list[str]:
        """What refuses a run for a NOT; where that is for others to say, its candidates are kept for `rest`.

        Args:
            variable: the NOT's.
            rows: the candidates.
            given: whether they are looked at.
            asked: how many levels of the NOT's JOINs they are known to satisfy.
        """
        left = self.program.absent_joins(variable)[asked:]
        if variable in self._doubtful:
            kept = self.functions.suspects(variable, rows, left, self._reading)
            self._doubtful[variable].append(f"*({kept} if {given} else ())")
            return []
        present = self.functions.present(variable, rows, left, self._reading)
        return [f"if {present}: return False" if given == "True" else f"if {given} and {present}: return False"]

    def rest(self) -> str:
        """The sides of ORs, and the candidates of NOTs that JOINs with what SEQ does not name decide about."""
        sides = self.read(Slot("sides")) if Slot("sides") in self.program.slots else "None"
        known = {v: self.read(Slot("doubtful", v)) for v in self._doubtful}
        kept = (f"({', '.join([f'*({known[v]} or ())', *rows])},)" for v, rows in self._doubtful.items())
        return f"({sides}, ({''.join(f'{rows}, ' for rows in kept)}))"

    def _pending(self) -> list[str]:
        """NOTs between events of which the JOINs could not be asked before."""
        found = []
        for variable in self.program.places.negations:
            for asked, _ in enumerate(self.program.absent_joins(variable)):
                slot = undecided(variable, asked, opening=False)
                if slot in self.stage.live:
                    rows = self.functions.undecided(variable, asked, self.read(slot))
                    found += self._refused(variable, rows, asked=asked)
        return found

    def _opening(self) -> list[str]:
        """NOTs that stand first."""
        found = []
        for variable, node in self.program.places.negations.items():
            opened = self.read(Slot("opening", variable))
            if node.duration is not None:
                found.append(
                    f"if {opened} and {self._outside(f'{self.read(FIRST)} - {micros(node.duration)}')}: return False"
                )
            else:
                found += self._refused(variable, self._rows_before(variable), opened) + self._suspected(variable)
        return found

    def _suspected(self, variable: str) -> list[str]:
        """A NOT that stands first in a repetition that is over."""
        found = []
        for asked in range(1, len(self.program.absent_joins(variable)) + 1):
            slot = undecided(variable, asked, opening=True)
            if slot in self.stage.live:
                rows = f"[n for n in ({self.read(slot)} or ()) if n[0] >= t - {self.functions.width}]"
                found += self._refused(variable, rows, asked=asked)
        return found

    def _rows_before(self, variable: str) -> str:
        return self.functions.before(variable, "t", self.read(FIRST))

    def is_strict(self, absence: Absence) -> bool:
        """Whether a NOT at the end says of the very next event alone that it is no such candidate."""
        return absence.strict and self.functions.negation(absence).duration is None

    def _absent(self) -> list[str]:
        """NOTs that stand last."""
        found = []
        for absence in self.thread.absences:
            duration = self.functions.negation(absence).duration
            variable = absence.variable
            if absence.before is None and duration is None:
                found += self._refused(variable, self._rows_before(variable))
                continue
            interval = self.functions.interval(absence, self.read, None)
            found += self._refused(variable, f"{self.functions.candidates(variable)}.of({interval})")
            if absence.before is None:
                found.append(f"if {self._outside(f'{interval}[0]')}: return False")
            elif not self.is_strict(absence):
                found.append(f"if {self._outside(f'{interval}[1]')}: return False")
        return found

    def ends(self) -> list[str]:
        """The ends of the intervals of NOTs that reach beyond the events before them."""
        return [
            f"{self.functions.interval(a, self.read, None)}[1]"
            for a in self.thread.absences
            if a.before is not None and not self.is_strict(a)
        ]

    def _outside(self, moment: str) -> str:
        lower, upper = self.functions.within
        return f"not {lower} <= {moment} <= {upper}"
