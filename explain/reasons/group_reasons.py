"""Why the group of a PATH has a solution, or has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from ...language.nodes import Subquery
from ...semfilter import term_text
from ..prefixed_text import with_prefixes
from .event_view import EventView, Solution, Term
from .filter_witness import nearest_comparison
from .nearest_alternatives import Unlinked, nearest_alternative, part_text
from .path_conjuncts import PathConjunct, conjuncts_of, conjuncts_of_tokens, groups_in, joined, tidy
from .reason import Reason, ReasonKind
from .witness import term_of, witness

# So many solutions of what holds are looked at for the one that is nearest to holding altogether.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class GroupExplainer:
    """Explains the groups of one subquery for one event.

    Attributes:
        view: the knowledge with the event in it.
        subquery: the PATH.
        event: IRI of the event.
        unlinked: see `nearest_alternative`.
    """

    view: EventView
    subquery: Subquery
    event: str
    unlinked: Unlinked

    def conjuncts(self) -> list[PathConjunct]:
        """The parts of the PATH."""
        return conjuncts_of(self.subquery.text, self.subquery.variable, self.event)

    def solutions(
        self, conjuncts: Sequence[PathConjunct], bound: Solution, limit: int = _LOOKED_AT
    ) -> list[dict[str, Term]]:
        """Solutions of some parts."""
        return self.view.solutions(joined(conjuncts), bound, limit)

    def holding(self, conjuncts: Sequence[PathConjunct], solution: Solution) -> tuple[Reason, ...]:
        """Why each part holds, for a solution of all of them."""
        return tuple(self._holds(conjunct, solution) for conjunct in conjuncts)

    def failing(self, conjuncts: Sequence[PathConjunct], bound: Solution) -> tuple[Reason, ...]:
        """Why the parts together have no solution: those that hold, and the first that fails with them."""
        before: list[dict[str, Term]] = [dict(bound)]
        for place, conjunct in enumerate(conjuncts):
            found = self.solutions(conjuncts[: place + 1], bound)
            if not found:
                nearest, failure = self._fails(conjunct, conjuncts[:place], before)
                return (*self.holding(conjuncts[:place], nearest), failure)
            before = found
        return self.holding(conjuncts, before[0])

    def _holds(self, conjunct: PathConjunct, solution: Solution) -> Reason:
        match conjunct.kind:
            case "triples":
                return self._pattern(conjunct, solution)
            case "OPTIONAL":
                return self._optional(conjunct, solution)
            case "{":
                return self._branches(conjunct, solution, holds=True)
            case "FILTER":
                note = self._values(conjunct, solution)
                return Reason(
                    ReasonKind.CONDITION,
                    self._shown(conjunct),
                    holds=True,
                    parts=self._inside(conjunct, solution),
                    note=note,
                )
            case _:
                return Reason(ReasonKind.CONDITION, self._shown(conjunct), holds=True)

    def _pattern(self, conjunct: PathConjunct, solution: Solution) -> Reason:
        assert conjunct.pattern is not None  # noqa: S101 (`triples` have one)
        along = witness(self.view.store, conjunct.pattern, solution)
        if along is None:  # a variable that a SELECT inside hides
            inner = self.solutions([conjunct], solution, 1)
            along = witness(self.view.store, conjunct.pattern, inner[0]) if inner else None
        text = self._triple(conjunct, solution)
        note = "" if along else "a way of no steps"
        return Reason(ReasonKind.PATTERN, text, holds=True, proofs=tuple(map(self.view.prove, along or ())), note=note)

    def _optional(self, conjunct: PathConjunct, solution: Solution) -> Reason:
        (tokens,) = groups_in(conjunct.tokens)
        conjuncts = conjuncts_of_tokens(tokens, self.subquery.variable, self.event, count())
        inner = self.solutions(conjuncts, solution, 1)
        if not inner:
            return Reason(ReasonKind.CONDITION, self._shown(conjunct), holds=True, note="not there, and need not be")
        return Reason(ReasonKind.JUNCTION, "OPTIONAL", holds=True, parts=self.holding(conjuncts, inner[0]))

    def _inside(self, conjunct: PathConjunct, solution: Solution) -> tuple[Reason, ...]:
        """Of EXISTS and NOT EXISTS: why the group has a solution, or why it has none."""
        if conjunct.tokens[0].text not in ("EXISTS", "NOT"):
            return ()
        (tokens,) = groups_in(conjunct.tokens)
        conjuncts = conjuncts_of_tokens(tokens, self.subquery.variable, self.event, count())
        inner = self.solutions(conjuncts, solution, 1)
        return self.holding(conjuncts, inner[0]) if inner else self.failing(conjuncts, solution)

    def _branches(self, conjunct: PathConjunct, solution: Solution, *, holds: bool) -> Reason:
        """Of a group or UNION: the first branch that holds, or why none does."""
        parts: list[Reason] = []
        groups = groups_in(conjunct.tokens)
        for tokens in groups:
            conjuncts = conjuncts_of_tokens(tokens, self.subquery.variable, self.event, count())
            inner = self.solutions(conjuncts, solution, 1)
            if inner and holds:
                text = f"branch {len(parts) + 1} of UNION" if len(groups) > 1 else "group"
                return Reason(ReasonKind.JUNCTION, text, holds=True, parts=self.holding(conjuncts, inner[0]))
            branch = f"branch {len(parts) + 1}" if len(groups) > 1 else "group"
            parts.append(Reason(ReasonKind.JUNCTION, branch, holds=False, parts=self.failing(conjuncts, solution)))
        text = "no branch of UNION" if len(groups) > 1 else "group"
        return Reason(ReasonKind.JUNCTION, text, holds=False, parts=tuple(parts))

    def _fails(
        self, conjunct: PathConjunct, held: Sequence[PathConjunct], before: list[dict[str, Term]]
    ) -> tuple[Solution, Reason]:
        """The nearest solution of what holds, and why the part fails with it."""
        first = before[0]
        more = f" (the first of {len(before)})" if 1 < len(before) < _LOOKED_AT else ""
        if conjunct.pattern is not None:
            note = nearest_alternative(self.view, conjunct.pattern, first, self.event, self.unlinked) + more
            return first, Reason(ReasonKind.PATTERN, self._triple(conjunct, first), holds=False, note=note)
        if conjunct.kind == "{":
            return first, self._branches(conjunct, first, holds=False)
        if inside := self._inside(conjunct, first) if conjunct.kind == "FILTER" else ():
            return first, Reason(
                ReasonKind.CONDITION, self._shown(conjunct), holds=False, parts=inside, note=more.strip()
            )
        if conjunct.kind == "FILTER":
            names = self.subquery.variable, f"<{self.event}>"
            nearest = nearest_comparison(self.view, joined(held), conjunct, before, names)
            if nearest is not None:
                note = nearest.note + (f" (the nearest of {len(before)})" if more else "")
                return nearest.solution, Reason(ReasonKind.CONDITION, self._shown(conjunct), holds=False, note=note)
        return first, Reason(
            ReasonKind.CONDITION, self._shown(conjunct), holds=False, note=self._values(conjunct, first) + more
        )

    def _values(self, conjunct: PathConjunct, solution: Solution) -> str:
        names = dict.fromkeys(t.variable for t in conjunct.tokens if t.variable in solution)
        return ", ".join(f"?{n} is {self.view.wording.term(solution[n])}" for n in names if n is not None)

    def _triple(self, conjunct: PathConjunct, solution: Solution) -> str:
        assert conjunct.pattern is not None  # noqa: S101 (asked of `triples` only)
        words = (part_text(self.view, part, solution) for part in (conjunct.pattern.subject, conjunct.pattern.object))
        subject, value = (self._named(word) for word in words)
        predicate = term_of(conjunct.pattern.predicate, solution)
        if predicate is not None:
            return f"{subject} {self.view.wording.predicate(predicate)} {value}"
        return f"{subject} {self._with_prefixes(str(term_text(conjunct.pattern.predicate)))} {value}"

    def _named(self, word: str) -> str:
        return f"?{self.subquery.variable}" if word == f"<{self.event}>" else word

    def _shown(self, conjunct: PathConjunct) -> str:
        keyword = "FILTER " if conjunct.kind == "FILTER" else ""
        return self._with_prefixes(keyword + tidy(conjunct.tokens))

    def _with_prefixes(self, text: str) -> str:
        return with_prefixes(text, self.view.knowledge.prefixes)
