"""Partial matches of what repeats nothing, planned: which elements are enabled when (docs/semantics.md 3.8).

A state is what a run has bound, and the disjuncts of the pattern that are still open to it. States have no cycles:
every step binds one more variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...language.nodes import Link
from ..limits import Ceilings
from ..match import NegationConstraint
from ..order import UNBOUNDED
from .pattern_dnf import PartialOrder
from .pattern_plan import DisjunctPlan, PatternPlan

__all__ = ["START", "ColumnarState", "ColumnarTransition", "compile_states", "decidable"]

START = 0
"""The place of the state of a run that has not begun."""

_MOST = 4096
"""So many states are compiled in about a second: those of twelve elements of an AND."""


@dataclass(frozen=True, slots=True)
class ColumnarTransition:
    """An enabled element.

    Attributes:
        variable: what it binds.
        link: the link before it.
        gaps: of the bound variables, by how many microseconds its event comes later at the least.
        widths: of the bound variables, by how many it comes later at the most, as the WINDOWs say.
        reach: the same as follows from everything that is known.
        since: bound variables; the link counts what is passed over from their last event on.
        through: what the way to it leads through, and itself.
        rivals: an event that is reached through one of these is not this one's.
        refuting: NOTs that are decided with it, and depend on what was bound before alone.
        negations: the other NOTs that are decided with it.
        target: the place of the state that follows.
    """

    variable: str
    link: Link
    gaps: Mapping[str, int]
    widths: Mapping[str, int]
    reach: Mapping[str, int]
    since: frozenset[str]
    through: frozenset[str]
    rivals: frozenset[str]
    refuting: tuple[NegationConstraint, ...]
    negations: tuple[NegationConstraint, ...]
    target: int


@dataclass(frozen=True, slots=True)
class ColumnarState:
    """A state.

    Attributes:
        bound: the variables that runs in it have bound.
        complete: places of the disjuncts that it is the end of.
        steps: what may come next.
        loose: it is of no account what runs in it pass over.
    """

    bound: frozenset[str]
    complete: tuple[int, ...]
    steps: tuple[ColumnarTransition, ...]
    loose: bool


_Name = tuple[frozenset[str], frozenset[int]]


def compile_states(plan: PatternPlan, named: frozenset[str], ceilings: Ceilings) -> tuple[ColumnarState, ...]:
    """The states, `START` first, each after those that lead to it.

    Args:
        plan: the query.
        named: the variables that SEQ names.
        ceilings: of the query.

    Raises:
        CeilingError: there are too many of them, as an AND has one for each set of its elements.
    """
    return _Planner(plan, named, ceilings).states()


@dataclass(frozen=True, slots=True)
class _Planner:
    plan: PatternPlan
    named: frozenset[str]
    ceilings: Ceilings

    def states(self) -> tuple[ColumnarState, ...]:
        start: _Name = (frozenset(), frozenset(range(len(self.plan.disjuncts))))
        targets = {start: self._targets(start)}
        found = [start]
        for name in found:
            new = [target for target in targets[name] if target not in targets]
            targets |= {target: self._targets(target) for target in new}
            found += new
            self.ceilings.check_plan(len(found), _MOST, "states")
        # Sorted by size: a step leads to a larger state.
        found.sort(key=lambda name: len(name[0]))
        places = {name: place for place, name in enumerate(found)}
        return tuple(self._state(name, targets[name], places) for name in found)

    def _state(self, name: _Name, targets: Mapping[_Name, str], places: Mapping[_Name, int]) -> ColumnarState:
        bound, disjuncts = name
        complete = tuple(sorted(i for i in disjuncts if self._variables(i) == bound))
        steps = tuple(self._step(name, v, target, places) for target, v in targets.items())
        loose = all(step.link is Link.ANY for step in steps) and not self._counts_on()
        return ColumnarState(bound, complete, steps, loose)

    def _counts_on(self) -> bool:
        """Whether what was passed over matters in later states: in an AND of which not all links are `->>`."""
        sides = any(of_variable for disjunct in self.plan.disjuncts for of_variable in disjunct.order.sides.values())
        return sides and not self.plan.logical

    def _variables(self, disjunct: int) -> frozenset[str]:
        return self.named & set(self.plan.disjuncts[disjunct].variables)

    def _targets(self, name: _Name) -> dict[_Name, str]:
        """The states that follow, by the variable that is bound on the way there."""
        bound, disjuncts = name
        groups: dict[tuple[str, object], set[int]] = {}
        for i in sorted(disjuncts):
            disjunct = self.plan.disjuncts[i].order
            for variable in disjunct.variables:
                enabled = variable in self.named and variable not in bound and disjunct.before[variable] <= bound
                if enabled and _reaches(disjunct, bound):
                    known = bound | {variable}
                    decided = tuple(replace(a, after=a.after & known) for a in self._decided(i, name, variable))
                    sides = (disjunct.through[variable], disjunct.rivals[variable])
                    same = (variable, (disjunct.before[variable], self._gaps(i, variable), decided, sides))
                    groups.setdefault(same, set()).add(i)
        return {(bound | {v}, frozenset(members)): v for (v, _), members in groups.items()}

    def _gaps(self, disjunct: int, variable: str) -> tuple[tuple[str, int], ...]:
        plan = self.plan.disjuncts[disjunct]
        gaps = dict.fromkeys(plan.order.before[variable], 1)
        for negation in plan.order.negations:
            if variable in negation.after and negation.duration is not None:
                gaps |= {u: max(gaps[u], negation.duration + 1) for u in negation.before}
        return tuple(sorted(gaps.items()))

    def _decided(self, disjunct: int, name: _Name, variable: str) -> tuple[NegationConstraint, ...]:
        """The NOTs that can be decided once the variable is bound, and not before."""
        bound, disjuncts = name
        plans = [self.plan.disjuncts[i] for i in disjuncts]
        return tuple(
            negation
            for negation in self.plan.disjuncts[disjunct].order.negations
            if decidable(self.plan, plans, negation, bound | {variable})
            and not decidable(self.plan, plans, negation, bound)
        )

    def _step(self, name: _Name, variable: str, target: _Name, places: Mapping[_Name, int]) -> ColumnarTransition:
        bound, disjunct = name[0], min(target[1])
        plan = self.plan.disjuncts[disjunct]
        alternative = plan.order
        refuting: list[NegationConstraint] = []
        negations: list[NegationConstraint] = []
        for negation in self._decided(disjunct, name, variable):
            independent = _joined(self.plan, negation) <= bound and negation.before and not negation.strict
            (refuting if independent and negation.duration is None else negations).append(negation)
        reach = {u: max(self.plan.disjuncts[i].reach[variable, u] for i in target[1]) for u in bound}
        return ColumnarTransition(
            variable,
            alternative.links[variable],
            dict(self._gaps(disjunct, variable)),
            {u: self.plan.widths[variable, u] for u in bound if (variable, u) in self.plan.widths},
            {u: width for u, width in reach.items() if width < UNBOUNDED},
            _since(alternative.sides[variable], alternative.before[variable], bound),
            alternative.through[variable],
            alternative.rivals[variable],
            tuple(refuting),
            tuple(negations),
            places[target],
        )


def _reaches(disjunct: PartialOrder, bound: frozenset[str]) -> bool:
    """Whether a partial match on this disjunct can have bound just these variables so far."""
    return bound <= disjunct.before.keys() and all(disjunct.before[v] <= bound for v in bound)


def _since(sides: Sequence[frozenset[str]], before: frozenset[str], bound: frozenset[str]) -> frozenset[str]:
    """An element that begins a part of an AND counts from the last event of the AND, others from what stands before."""
    return next((side & bound for side in sides if side & bound), before)


def _joined(plan: PatternPlan, negation: NegationConstraint) -> set[str]:
    """The variables that JOINs compare with that of a NOT."""
    found = [c.variables for c in plan.conditions if negation.variable in c.variables]
    found += [k.expressions.keys() for k in plan.keys if negation.variable in k.expressions and not k.nulls_match]
    return {v for variables in found for v in variables} - {negation.variable}


def decidable(
    plan: PatternPlan, disjuncts: Sequence[DisjunctPlan], negation: NegationConstraint, bound: frozenset[str]
) -> bool:
    """Whether a NOT is decided as soon as a run has bound these variables: what it looks at will not change.

    A JOIN that names what no open disjunct binds is not asked; one with a variable outside of SEQ is asked at the end.
    """
    if not negation.after & bound or (not negation.before and negation.duration is None):
        return False
    possible = {v for disjunct in disjuncts if _reaches(disjunct.order, bound) for v in disjunct.variables}
    return _joined(plan, negation) & possible <= bound
