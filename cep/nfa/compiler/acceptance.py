"""The ends of a pattern: whether a run that comes to one is a match, and when that is known."""

from __future__ import annotations

from ....expressions import micros
from ...order import UNBOUNDED
from ..automaton import PassedNegation, PatternItem
from .code_generator import CodeGenerator, Read
from .join_conditions import JoinCondition
from .registers import FIRST, Register, undecided
from .states import FinalState, State

__all__ = ["final_state"]


def final_state(code: CodeGenerator, state: State, item: PatternItem, number: int) -> FinalState:
    """The end that an item without a variable is; `number`: which of its state's."""
    writing = AcceptanceCode(code, state, item)
    lines = writing.lines()
    ends = writing.due()
    together = code.conditions.free_joins
    awaited = [a for a in item.absences if writing.is_strict(a)]
    return FinalState(
        place=(state.number, number),
        leaves=item.leaves,
        holds=code.compiled("r, t, p, m, o", [*lines, "return True"]) if lines else None,
        due=code.compiled("r, t", ends) if ends else None,
        awaits=code.compiled("r", [f"return {code.number_of(awaited[0], writing.read)}"]) if awaited else None,
        rest=code.compiled("r, t, p, m", [f"return {writing.rest()}"]) if together else None,
        conditions=tuple(dict.fromkeys([*writing.asked, *(c.text for c in together)])),
    )


class AcceptanceCode:
    """What is asked of a run at the end."""

    def __init__(self, code: CodeGenerator, state: State, item: PatternItem) -> None:
        self.code, self.conditions = code, code.conditions
        self.state, self.item = state, item
        self._doubtful: dict[str, list[str]] = {variable: [] for variable in self.conditions.doubtful}
        self.asked: list[str] = []

    def read(self, register: Register) -> str:
        """A register of the run, with the sides of ORs that the end takes."""
        value = f"r[{self.conditions.registers.place(register)}]" if register in self.state.live else "None"
        if register.kind != "sides":
            return value
        around = self.conditions.scopes.alternatives
        taken = {
            (s.key[0], s.index) for s in self.item.sides if register.scope is None or register.scope in around[s.key[0]]
        }
        name = self.code.source.name(frozenset(taken), "s")
        return f"(({value} or {name}) | {name})"

    def lines(self) -> list[str]:
        """What refuses a run."""
        joins = [c for c in self.conditions.joins if self._is_undecided(c)]
        self.asked += [c.text for c in joins]
        tests = [f"if not {self._asked(c)}: return False" for c in joins]
        return [*tests, *self._pending(), *self._opening(), *self._absent()]

    def _is_undecided(self, c: JoinCondition) -> bool:
        return bool(c.aggregates) and self.state.ahead.may((e.variable for e in c.aggregates), c.scope)

    def _asked(self, c: JoinCondition) -> str:
        written = self.code.holds(c, self.read, whole=True)
        if c.scope is None or c.plain:
            return written
        empty = " and ".join(
            f"{self.read(self.conditions.registers.aggregate(e, c.scope))} is None" for e in c.aggregates
        )
        return f"(({empty}) or {written})"

    def _reading(self, _: JoinCondition) -> Read:
        return self.read

    def _refused(self, variable: str, rows: str, given: str = "True", asked: int = 0) -> list[str]:
        """What refuses a run for a NOT; where that is for others to say, its candidates are kept for `rest`.

        Args:
            variable: the NOT's.
            rows: the candidates.
            given: whether they are looked at.
            asked: how many levels of the NOT's JOINs they are known to satisfy.
        """
        self.asked.append(self.conditions.negation_text(variable))
        left = self.conditions.negation_joins(variable)[asked:]
        if variable in self._doubtful:
            kept = self.code.suspects(variable, rows, left, self._reading)
            self._doubtful[variable].append(f"*({kept} if {given} else ())")
            return []
        present = self.code.present(variable, rows, left, self._reading)
        return [f"if {present}: return False" if given == "True" else f"if {given} and {present}: return False"]

    def rest(self) -> str:
        """The sides of ORs, and the candidates of NOTs that JOINs with what SEQ does not name decide about."""
        sides = self.read(Register("sides")) if Register("sides") in self.conditions.registers else "None"
        known = {v: self.read(Register("doubtful", v)) for v in self._doubtful}
        kept = (f"({', '.join([f'*({known[v]} or ())', *rows])},)" for v, rows in self._doubtful.items())
        return f"({sides}, ({''.join(f'{rows}, ' for rows in kept)}))"

    def _pending(self) -> list[str]:
        """NOTs between events of which the JOINs could not be asked before."""
        found = []
        for variable in self.conditions.scopes.negations:
            for asked, _ in enumerate(self.conditions.negation_joins(variable)):
                register = undecided(variable, asked, opening=False)
                if register in self.state.live:
                    rows = self.code.undecided(variable, asked, self.read(register))
                    found += self._refused(variable, rows, asked=asked)
        return found

    def _opening(self) -> list[str]:
        """NOTs that stand first."""
        found = []
        for variable in sorted(self.conditions.scopes.opening):
            node = self.conditions.scopes.negations[variable]
            opened = self.read(Register("opening", variable))
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
        for asked in range(1, len(self.conditions.negation_joins(variable)) + 1):
            register = undecided(variable, asked, opening=True)
            if register in self.state.live:
                rows = f"[n for n in ({self.read(register)} or ()) if n[0] >= t - {self.code.width}]"
                found += self._refused(variable, rows, asked=asked)
        return found

    def _rows_before(self, variable: str) -> str:
        return self.code.before(variable, "t", self.read(FIRST))

    def is_strict(self, absence: PassedNegation) -> bool:
        """Whether a NOT at the end says of the very next event alone that it is no such candidate."""
        return absence.strict and self.code.negation(absence).duration is None

    def _absent(self) -> list[str]:
        """NOTs that stand last."""
        found = []
        for absence in self.item.absences:
            negation = self.code.negation(absence)
            duration, variable = negation.duration, absence.variable
            if negation.timer:
                found.append(f"if not {self.code.in_width(absence, self.read)}: return False")
            if absence.before is None and duration is None:
                found += self._refused(variable, self._rows_before(variable))
                continue
            checked = variable not in self._doubtful
            interval = self.code.interval(absence, self.read, None, checked=checked)
            if not negation.timer or negation.every is not None:  # AFTER forbids nothing
                found += self._refused(variable, f"{self.code.candidates(variable)}.of({interval})")
            if absence.before is None:
                found.append(f"if {self._outside(f'{interval}[0]')}: return False")
            elif not self.is_strict(absence):
                found.append(f"if {self._beyond(f'{interval}[1]')}: return False")
        return found

    def due(self) -> list[str]:
        """What tells when the intervals of NOTs end that reach beyond the events before them; nothing: none does."""
        later = [a for a in self.item.absences if a.before is not None and not self.is_strict(a)]
        timer = later[-1] if later and self.code.negation(later[-1]).timer else None
        ends = [self._end(a) for a in later if self.code.negation(a).every is None and a is not timer]
        if timer is None:
            return [f"return max(t, {', '.join(ends)})"] if ends else []
        last = f"max(t, {', '.join(f'{end} + 1' for end in ends)})" if ends else "t"
        every = self.code.negation(timer).every
        if every is None:  # nothing of a match lies behind its moment
            return [f"due = {self._end(timer)}", f"return due if due >= {last} else {UNBOUNDED}"]
        period = micros(every)
        return [f"due = {self._end(timer)}", f"return due + max(-((due - {last}) // {period}), 0) * {period}"]

    def _end(self, absence: PassedNegation) -> str:
        if self.code.negation(absence).timer:
            return self.code.first_moment(absence, self.read)
        return f"{self.code.interval(absence, self.read, None)}[1]"

    def _outside(self, moment: str) -> str:
        lower, upper = self.code.within
        return f"not {lower} <= {moment} <= {upper}"

    def _beyond(self, moment: str) -> str:
        """Whether the end of an interval lies outside, or after the end of the partition's context window."""
        return f"{self._outside(moment)} or {moment} > p.until" if self.conditions.windowed else self._outside(moment)
