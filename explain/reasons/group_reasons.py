"""Why the group of a PATH has a solution, or has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from ...language.nodes import Subquery
from ...semfilter import term_text, with_prefixes
from .event_view import Solution, Term, View
from .filter_witness import compared
from .nearest_alternatives import Unlinked, instead, written
from .path_units import Unit, groups_in, joined, tidy, units_of, units_of_tokens
from .reason import Kind, Reason
from .witness import term_of, witness

# So many solutions of what holds are looked at for the one that is nearest to holding altogether.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Group:
    """Explains the groups of one subquery for one event.

    Attributes:
        view: the knowledge with the event in it.
        subquery: the PATH.
        event: IRI of the event.
        unlinked: see `instead`.
    """

    view: View
    subquery: Subquery
    event: str
    unlinked: Unlinked

    def units(self) -> list[Unit]:
        """The parts of the PATH."""
        return units_of(self.subquery.text, self.subquery.variable, self.event)

    def solutions(self, units: Sequence[Unit], bound: Solution, limit: int = _LOOKED_AT) -> list[dict[str, Term]]:
        """Solutions of some parts."""
        return self.view.solutions(joined(units), bound, limit)

    def holding(self, units: Sequence[Unit], solution: Solution) -> tuple[Reason, ...]:
        """Why each part holds, for a solution of all of them."""
        return tuple(self._holds(unit, solution) for unit in units)

    def failing(self, units: Sequence[Unit], bound: Solution) -> tuple[Reason, ...]:
        """Why the parts together have no solution: those that hold, and the first that fails with them."""
        before: list[dict[str, Term]] = [dict(bound)]
        for place, unit in enumerate(units):
            found = self.solutions(units[: place + 1], bound)
            if not found:
                nearest, failure = self._fails(unit, units[:place], before)
                return (*self.holding(units[:place], nearest), failure)
            before = found
        return self.holding(units, before[0])

    def _holds(self, unit: Unit, solution: Solution) -> Reason:
        match unit.kind:
            case "triples":
                return self._pattern(unit, solution)
            case "OPTIONAL":
                return self._optional(unit, solution)
            case "{":
                return self._branches(unit, solution, holds=True)
            case "FILTER":
                note = self._values(unit, solution)
                return Reason(
                    Kind.CONDITION, self._shown(unit), holds=True, parts=self._inside(unit, solution), note=note
                )
            case _:
                return Reason(Kind.CONDITION, self._shown(unit), holds=True)

    def _pattern(self, unit: Unit, solution: Solution) -> Reason:
        assert unit.pattern is not None  # noqa: S101 (`triples` have one)
        along = witness(self.view.store, unit.pattern, solution)
        if along is None:  # a variable that a SELECT inside hides
            inner = self.solutions([unit], solution, 1)
            along = witness(self.view.store, unit.pattern, inner[0]) if inner else None
        text = self._triple(unit, solution)
        note = "" if along else "a way of no steps"
        return Reason(Kind.PATTERN, text, holds=True, proofs=tuple(map(self.view.prove, along or ())), note=note)

    def _optional(self, unit: Unit, solution: Solution) -> Reason:
        (tokens,) = groups_in(unit.tokens)
        units = units_of_tokens(tokens, self.subquery.variable, self.event, count())
        inner = self.solutions(units, solution, 1)
        if not inner:
            return Reason(Kind.CONDITION, self._shown(unit), holds=True, note="not there, and need not be")
        return Reason(Kind.JUNCTION, "OPTIONAL", holds=True, parts=self.holding(units, inner[0]))

    def _inside(self, unit: Unit, solution: Solution) -> tuple[Reason, ...]:
        """Of EXISTS and NOT EXISTS: why the group has a solution, or why it has none."""
        if unit.tokens[0].text not in ("EXISTS", "NOT"):
            return ()
        (tokens,) = groups_in(unit.tokens)
        units = units_of_tokens(tokens, self.subquery.variable, self.event, count())
        inner = self.solutions(units, solution, 1)
        return self.holding(units, inner[0]) if inner else self.failing(units, solution)

    def _branches(self, unit: Unit, solution: Solution, *, holds: bool) -> Reason:
        """Of a group or UNION: the first branch that holds, or why none does."""
        parts: list[Reason] = []
        groups = groups_in(unit.tokens)
        for tokens in groups:
            units = units_of_tokens(tokens, self.subquery.variable, self.event, count())
            inner = self.solutions(units, solution, 1)
            if inner and holds:
                text = f"branch {len(parts) + 1} of UNION" if len(groups) > 1 else "group"
                return Reason(Kind.JUNCTION, text, holds=True, parts=self.holding(units, inner[0]))
            branch = f"branch {len(parts) + 1}" if len(groups) > 1 else "group"
            parts.append(Reason(Kind.JUNCTION, branch, holds=False, parts=self.failing(units, solution)))
        text = "no branch of UNION" if len(groups) > 1 else "group"
        return Reason(Kind.JUNCTION, text, holds=False, parts=tuple(parts))

    def _fails(self, unit: Unit, held: Sequence[Unit], before: list[dict[str, Term]]) -> tuple[Solution, Reason]:
        """The nearest solution of what holds, and why the part fails with it."""
        first = before[0]
        more = f" (the first of {len(before)})" if 1 < len(before) < _LOOKED_AT else ""
        if unit.pattern is not None:
            note = instead(self.view, unit.pattern, first, self.event, self.unlinked) + more
            return first, Reason(Kind.PATTERN, self._triple(unit, first), holds=False, note=note)
        if unit.kind == "{":
            return first, self._branches(unit, first, holds=False)
        if inside := self._inside(unit, first) if unit.kind == "FILTER" else ():
            return first, Reason(Kind.CONDITION, self._shown(unit), holds=False, parts=inside, note=more.strip())
        if unit.kind == "FILTER":
            names = self.subquery.variable, f"<{self.event}>"
            nearest = compared(self.view, joined(held), unit, before, names)
            if nearest is not None:
                note = nearest.note + (f" (the nearest of {len(before)})" if more else "")
                return nearest.solution, Reason(Kind.CONDITION, self._shown(unit), holds=False, note=note)
        return first, Reason(Kind.CONDITION, self._shown(unit), holds=False, note=self._values(unit, first) + more)

    def _values(self, unit: Unit, solution: Solution) -> str:
        names = dict.fromkeys(t.variable for t in unit.tokens if t.variable in solution)
        return ", ".join(f"?{n} is {self.view.wording.term(solution[n])}" for n in names if n is not None)

    def _triple(self, unit: Unit, solution: Solution) -> str:
        assert unit.pattern is not None  # noqa: S101 (asked of `triples` only)
        words = (written(self.view, part, solution) for part in (unit.pattern.subject, unit.pattern.object))
        subject, value = (self._named(word) for word in words)
        predicate = term_of(unit.pattern.predicate, solution)
        if predicate is not None:
            return f"{subject} {self.view.wording.predicate(predicate)} {value}"
        return f"{subject} {self._with_prefixes(str(term_text(unit.pattern.predicate)))} {value}"

    def _named(self, word: str) -> str:
        return f"?{self.subquery.variable}" if word == f"<{self.event}>" else word

    def _shown(self, unit: Unit) -> str:
        keyword = "FILTER " if unit.kind == "FILTER" else ""
        return self._with_prefixes(keyword + tidy(unit.tokens))

    def _with_prefixes(self, text: str) -> str:
        return with_prefixes(text, self.view.knowledge.prefixes)
