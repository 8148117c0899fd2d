"""Partial matches of what repeats nothing, planned: which elements are enabled when (docs/semantics.md 3.8).

A state is what a run has bound, and the ways to match the pattern that are still open to it. States have no cycles:
every step binds one more variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...language.nodes import Link
from ..order import UNBOUNDED
from .pattern_dnf import Absence, Alternative
from .pattern_plan import PatternPlan, QueryPlan

__all__ = ["START", "RunState", "Step", "decidable", "plan_steps"]

START = 0
"""The place of the state of a run that has not begun."""


@dataclass(frozen=True, slots=True)
class Step:
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
        absences: the other NOTs that are decided with it.
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
    refuting: tuple[Absence, ...]
    absences: tuple[Absence, ...]
    target: int


@dataclass(frozen=True, slots=True)
class RunState:
    """A state.

    Attributes:
        bound: the variables that runs in it have bound.
        complete: places of the ways to match that it is the end of.
        steps: what may come next.
        loose: it is of no account what runs in it pass over.
    """

    bound: frozenset[str]
    complete: tuple[int, ...]
    steps: tuple[Step, ...]
    loose: bool


_Name = tuple[frozenset[str], frozenset[int]]


def plan_steps(plan: QueryPlan, inside: frozenset[str]) -> tuple[RunState, ...]:
    """The states, `START` first, each after those that lead to it.

    Args:
        plan: the query.
        inside: the variables that SEQ names.
    """
    return _Planner(plan, inside).states()


@dataclass(frozen=True, slots=True)
class _Planner:
    plan: QueryPlan
    inside: frozenset[str]

    def states(self) -> tuple[RunState, ...]:
        names: list[_Name] = [(frozenset(), frozenset(range(len(self.plan.ways))))]
        for name in names:
            names += [target for target in dict.fromkeys(self._targets(name)) if target not in names]
        # Sorted by size: a step leads to a larger state.
        names.sort(key=lambda name: len(name[0]))
        places = {name: place for place, name in enumerate(names)}
        return tuple(self._state(name, places) for name in names)

    def _state(self, name: _Name, places: Mapping[_Name, int]) -> RunState:
        bound, ways = name
        complete = tuple(sorted(i for i in ways if self._variables(i) == bound))
        targets = self._targets(name)
        steps = tuple(self._step(name, v, target, places) for target, v in targets.items())
        loose = all(step.link is Link.ANY for step in steps) and not self._counts_on()
        return RunState(bound, complete, steps, loose)

    def _counts_on(self) -> bool:
        """Whether what was passed over matters in later states: in an AND of which not all links are `->>`."""
        sides = any(of_variable for way in self.plan.ways for of_variable in way.alternative.sides.values())
        return sides and not self.plan.logical

    def _variables(self, way: int) -> frozenset[str]:
        return self.inside & set(self.plan.ways[way].variables)

    def _targets(self, name: _Name) -> dict[_Name, str]:
        """The states that follow, by the variable that is bound on the way there."""
        bound, ways = name
        groups: dict[tuple[str, object], set[int]] = {}
        for i in sorted(ways):
            way = self.plan.ways[i].alternative
            for variable in way.variables:
                enabled = variable in self.inside and variable not in bound and way.before[variable] <= bound
                if enabled and _reaches(way, bound):
                    known = bound | {variable}
                    decided = tuple(replace(a, after=a.after & known) for a in self._decided(i, name, variable))
                    sides = (way.through[variable], way.rivals[variable])
                    same = (variable, (way.before[variable], self._gaps(i, variable), decided, sides))
                    groups.setdefault(same, set()).add(i)
        return {(bound | {v}, frozenset(members)): v for (v, _), members in groups.items()}

    def _gaps(self, way: int, variable: str) -> tuple[tuple[str, int], ...]:
        plan = self.plan.ways[way]
        gaps = dict.fromkeys(plan.alternative.before[variable], 1)
        for absence in plan.alternative.absences:
            if variable in absence.after and absence.duration is not None:
                gaps |= {u: max(gaps[u], absence.duration + 1) for u in absence.before}
        return tuple(sorted(gaps.items()))

    def _decided(self, way: int, name: _Name, variable: str) -> tuple[Absence, ...]:
        """The NOTs that can be decided once the variable is bound, and not before."""
        bound, ways = name
        plans = [self.plan.ways[i] for i in ways]
        return tuple(
            absence
            for absence in self.plan.ways[way].alternative.absences
            if decidable(self.plan, plans, absence, bound | {variable})
            and not decidable(self.plan, plans, absence, bound)
        )

    def _step(self, name: _Name, variable: str, target: _Name, places: Mapping[_Name, int]) -> Step:
        bound, way = name[0], min(target[1])
        plan = self.plan.ways[way]
        alternative = plan.alternative
        refuting: list[Absence] = []
        absences: list[Absence] = []
        for absence in self._decided(way, name, variable):
            independent = _joined(self.plan, absence) <= bound and absence.before and not absence.strict
            (refuting if independent and absence.duration is None else absences).append(absence)
        reach = {u: max(self.plan.ways[i].reach[variable, u] for i in target[1]) for u in bound}
        return Step(
            variable,
            alternative.links[variable],
            dict(self._gaps(way, variable)),
            {u: self.plan.widths[variable, u] for u in bound if (variable, u) in self.plan.widths},
            {u: width for u, width in reach.items() if width < UNBOUNDED},
            _since(alternative.sides[variable], alternative.before[variable], bound),
            alternative.through[variable],
            alternative.rivals[variable],
            tuple(refuting),
            tuple(absences),
            places[target],
        )


def _reaches(way: Alternative, bound: frozenset[str]) -> bool:
    """Whether a run on this way can have bound just these variables so far."""
    return bound <= way.before.keys() and all(way.before[v] <= bound for v in bound)


def _since(sides: Sequence[frozenset[str]], before: frozenset[str], bound: frozenset[str]) -> frozenset[str]:
    """An element that begins a part of an AND counts from the last event of the AND, others from what stands before."""
    return next((side & bound for side in sides if side & bound), before)


def _joined(plan: QueryPlan, absence: Absence) -> set[str]:
    """The variables that JOINs compare with that of a NOT."""
    found = [c.variables for c in plan.conditions if absence.variable in c.variables]
    found += [k.expressions.keys() for k in plan.keys if absence.variable in k.expressions and not k.nulls_match]
    return {v for variables in found for v in variables} - {absence.variable}


def decidable(plan: QueryPlan, ways: Sequence[PatternPlan], absence: Absence, bound: frozenset[str]) -> bool:
    """Whether a NOT is decided as soon as a run has bound these variables: what it looks at will not change.

    A JOIN that names what no open way binds is not asked; one with a variable outside of SEQ is asked at the end.
    """
    if not absence.after & bound or (not absence.before and absence.duration is None):
        return False
    possible = {v for way in ways if _reaches(way.alternative, bound) for v in way.variables}
    return _joined(plan, absence) & possible <= bound
