"""The automaton of a query with its conditions.

Stages are made as events lead to them; their functions are generated once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ...expressions import micros
from ...language.nodes import (
    Alternative,
    Conjunction,
    CorrelationWindow,
    Element,
    Group,
    Link,
    Negation,
    Pattern,
    Policy,
    Query,
    walk_pattern,
)
from ...language.nodes import Sequence as Links
from ..order import sees_all_events
from .automaton import Automaton
from .event_layout import Layouts
from .generated_functions import Functions
from .ignore_transitions import barred
from .join_conditions import Condition, Levels, conditions_of, together_of
from .pattern_items import State, Thread, threads_of
from .pattern_scopes import Places, places_of
from .registers import SEEN, Slot, Slots, outlook
from .stages import Stage, Step, Take
from .stop_conditions import Ending, endings_of

__all__ = ["Program", "windows_of"]

_LINKS = {Policy.ANY: Link.ANY, Policy.NEXT: Link.NEXT, Policy.STRICT: Link.STRICT}


class Program:
    """Stages and functions of a query.

    Args:
        query: with SEQ.
        within: the bounds of WITHIN in microseconds, both included.

    Attributes:
        free: the variables that SEQ does not name.
        together: the JOINs with these.
        doubtful: the variables under NOT that such JOINs mention.
    """

    def __init__(self, query: Query, within: tuple[int, int]) -> None:
        pattern = cast("Pattern", query.pattern)
        parts = list(walk_pattern(pattern))
        self.query = query
        self.places: Places = places_of(pattern)
        self.layouts = Layouts()
        self.interleaved = any(isinstance(part, Conjunction) for part in parts)
        self.strict = sees_all_events(query)
        self.relaxed = _is_relaxed(query)
        self.free = _free(query, self.places)
        may_cut = self.relaxed and not _may_lack(parts)
        self.conditions = conditions_of(query, self.places, self.layouts, may_cut=may_cut)
        self.together = together_of(query, self.places, self.layouts, may_cut=may_cut)
        self.doubtful = tuple(n for n in self.places.negations if any(n in c.variables for c in self.together))
        self.endings: dict[int, tuple[Ending, ...]] = endings_of(query, self.places, self.layouts)
        self.slots = Slots(self.places)
        inside = frozenset(self.places.positive)
        self.windows = [(of & inside, width) for of, width in windows_of(query) if of & inside]
        self._declare()
        self.seen = self.slots.place(SEEN) if SEEN in self.slots else -1
        asked = {v for c in self.conditions if c.aggregates for v in c.variables}
        asked |= {v for c in self.conditions if set(c.variables) & set(self.places.negations) for v in c.variables}
        greedy = any(isinstance(p, Element | Group) and p.quantifier and not p.quantifier.every_length for p in parts)

        # What follows an OR is enabled beside its sides where one takes no event: all have to be of one pattern.
        skipped = any(isinstance(p, Alternative) and any(map(_may_be_empty, p.branches)) for p in parts)

        def is_early(node: Element | Group) -> bool:
            apart = skipped or _may_go_on_at_its_end(node)
            return bool(_in(node) & asked) or (apart and not self.relaxed)

        def decides(node: Element | Group) -> bool:
            return not self.relaxed and (greedy or is_early(node))

        self.automaton = Automaton(pattern, _LINKS[query.policy], is_early, decides)
        self.functions = Functions(self, within)
        self.may_hold = False
        self._stages: dict[State, Stage] = {}
        self.stages: list[Stage] = []
        self.beginnings = tuple(self._stage(state, (-1, i)) for i, state in enumerate(self.automaton.beginnings()))

    def absent_joins(self, variable: str) -> Levels:
        """The JOINs that mention the variable of a NOT, by the group each repetition of which they are asked of.

        The innermost group comes first, the whole pattern last.
        """
        joins = [c for c in self.conditions if variable in c.variables]
        scopes = (*reversed(self.places.groups[variable]), None)
        levels = (tuple(c for c in joins if c.scope == scope) for scope in scopes)
        return tuple(level for level in levels if level)

    @property
    def joins(self) -> list[Condition]:
        """The JOINs that mention no variable of a NOT."""
        return [c for c in self.conditions if self.places.negations.keys().isdisjoint(c.variables)]

    def _declare(self) -> None:
        """Declare every slot that a run may need."""
        slots, places = self.slots, self.places
        if self.strict:
            slots.use(SEEN, lambda view: view.strict or self.interleaved)
        for i, (variables, _) in enumerate(self.windows):
            if not variables >= set(places.positive):
                slots.use(Slot("window", i), lambda view, of=variables: view.may(of, None))  # type: ignore[misc]
        for variable in places.positive:
            if self.interleaved or places.negations:
                slots.use(Slot("last", variable), lambda view, of=variable: of in view.before)  # type: ignore[misc]
        for c in self.joins:
            slots.use_condition(c)
        for variable in places.negations:
            slots.use(Slot("opening", variable), lambda _: True)
            opening = places.negations[variable].duration is None
            slots.use_absence(variable, self.absent_joins(variable), opening=opening)
        for c in self.together:
            slots.use_together(c)
        for start, endings in self.endings.items():
            slots.use(Slot("until", start), lambda view, of=start: of in view.untils)  # type: ignore[misc]
            for ending in endings:
                slots.use_ending(ending.condition, ending.name, ending.inside)

    def steps(self, stage: Stage, place: int, variable: str) -> tuple[Step, ...]:
        """The ways on from a stage with an event of a variable, kept by the variable's place."""
        found = stage.steps.get(place)
        if found is None:
            found = tuple(
                self._step(stage, number, thread)
                for number, thread in enumerate(stage.state)
                if thread.variable == variable
            )
            stage.steps[place] = found
        return found

    def passed(self, stage: Stage, link: Link) -> Stage | None:
        """The stage of a run that passed over an event; `None`: it ends."""
        left = barred(stage.state, link)
        return self._stage(left, (stage.number, -1, 0 if link is Link.STRICT else 1)) if left else None

    def _step(self, stage: Stage, place: int, thread: Thread) -> Step:
        begins = stage in self.beginnings
        targets = self._targets(stage, place, thread, begins=begins, gap=False)
        gaps = self.interleaved and self.strict and not begins
        after_gap = self._targets(stage, place, thread, begins=begins, gap=True) if gaps else targets
        simple = thread.link is not Link.ANY and len(targets) == 1 and not gaps
        return Step(thread.link, thread.leaves, thread.inside, thread.sides, targets, after_gap, simple)

    def _targets(
        self, stage: Stage, place: int, thread: Thread, *, begins: bool, gap: bool
    ) -> tuple[tuple[Take, Stage], ...]:
        found = []
        for i, state in enumerate(self.automaton.after(thread, gap=gap)):
            target = self._stage(state, (stage.number, place, int(gap), i))
            found.append((self.functions.take(stage, thread, target, begins=begins), target))
        return tuple(found)

    def _stage(self, state: State, origin: tuple[int, ...]) -> Stage:
        known = self._stages.get(state)
        if known is not None:
            return known
        view = outlook(state, interleaved=self.interleaved)
        stage = Stage(len(self.stages), origin, state, view, self.slots.live(view))
        self._stages[state] = stage
        self.stages.append(stage)
        ends = [thread for thread in state if thread.variable is None]
        stage.finishes = tuple(self.functions.finish(stage, thread, i) for i, thread in enumerate(ends))
        stage.held = any(thread.leaves for thread in ends)
        self.may_hold = self.may_hold or stage.held
        stage.open = len(ends) < len(state)
        stage.relaxed = all(t.link is Link.ANY and not t.leaves and not t.sides for t in state)
        stage.merges = not stage.held and any(t.link is Link.ANY for t in threads_of(state))
        stage.deadline = self.functions.deadline(stage)
        return stage

    def stage_of(self, origin: Sequence[int]) -> Stage:
        """The stage that was made in a way that `Stage.origin` describes."""
        if origin[0] < 0:
            return self.beginnings[origin[1]]
        before = self.stages[origin[0]]
        if origin[1] < 0:
            stage = self.passed(before, Link.STRICT if origin[2] == 0 else Link.NEXT)
            return cast("Stage", stage)
        thread = before.state[origin[1]]
        return self._stage(self.automaton.after(thread, gap=bool(origin[2]))[origin[3]], tuple(origin))


def _free(query: Query, places: Places) -> tuple[str, ...]:
    """The variables of FROM that SEQ does not name."""
    return tuple(s.variable for s in query.sources if s.variable not in {*places.positive, *places.negations})


def windows_of(query: Query) -> list[tuple[frozenset[str], int]]:
    """Variables whose events lie within so many microseconds."""
    found = [(frozenset(w.variables), micros(w.width)) for w in query.windows if isinstance(w, CorrelationWindow)]
    if query.retention is not None:
        found.append((frozenset(source.variable for source in query.sources), micros(query.retention)))
    return found


def _in(node: Element | Group) -> set[str]:
    return {part.variable for part in walk_pattern(node) if isinstance(part, Element | Negation)}


def _is_relaxed(query: Query) -> bool:
    """Whether everything may be passed over, so that the constraints alone say what matches."""
    if query.policy is not Policy.ANY or query.pattern is None:
        return False
    for part in walk_pattern(query.pattern):
        if isinstance(part, Links) and set(part.links) - {Link.ANY}:
            return False
        if isinstance(part, Element | Group) and part.quantifier is not None:
            q = part.quantifier
            if q.until is not None or (q.link is not Link.ANY and q.maximum != 1) or not q.every_length:
                return False
    return True


def _may_go_on_at_its_end(node: Element | Group) -> bool:
    """Whether a repetition may be over and still go on: all that it then waits for has to be of one length."""
    inner = walk_pattern(node.pattern) if isinstance(node, Group) else ()
    return any(
        isinstance(part, Alternative | Conjunction)
        or (isinstance(part, Element | Group) and part.quantifier is not None)
        for part in inner
    )


def _may_be_empty(part: Pattern) -> bool:
    """Whether a part may be passed without an event."""
    match part:
        case Negation():
            return True
        case Element(quantifier=quantifier):
            return quantifier is not None and quantifier.minimum == 0
        case Group(pattern=inner, quantifier=quantifier):
            return quantifier.minimum == 0 or _may_be_empty(inner)
        case Alternative(branches=branches):
            return any(map(_may_be_empty, branches))
        case Conjunction(parts=parts) | Links(parts=parts):
            return all(map(_may_be_empty, parts))


def _may_lack(parts: Sequence[Pattern]) -> bool:
    """Whether a variable may stay unbound."""
    return any(
        isinstance(part, Alternative)
        or (isinstance(part, Element | Group) and part.quantifier is not None and part.quantifier.minimum == 0)
        for part in parts
    )
