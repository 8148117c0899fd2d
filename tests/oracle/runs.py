"""Runs with explicit branching: LANGUAGE §3, "Runs.", sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TypeVar

from kaicep.language.nodes.expression import Expression
from kaicep.language.nodes.pattern import CorrelationWindow, Element, Group, Link, Pattern
from kaicep.language.nodes.query import Policy, Query

from .absences import Surroundings, in_width, is_violated, timed
from .conditions import Bound, Shape, Taken, choices, earlier, may_hold, mentioned, negated_in, plainly, shape_of
from .events import Event
from .expressions import Candidate, Scope, holds
from .terms import Absence, Before, Key, Place, Side, Term, Way, remaining, ways

Order = tuple[object, ...]
LINKS = {Policy.ANY: Link.ANY, Policy.NEXT: Link.NEXT, Policy.STRICT: Link.STRICT}


@dataclass(frozen=True)
class Run:
    """A partial match.

    Attributes:
        rest: what is left of the pattern.
        taken: its events.
        absences: the NOTs between them.
        sides: the sides taken of ORs.
        choices: of every-length repetitions, whether it goes on after so many.
        passed: the events passed over, and whether each could have extended the run.
        pending: the ends of the pattern that it has reached, but for greedy repetitions that may be prolonged.
    """

    rest: Term
    taken: tuple[Taken, ...] = ()
    absences: tuple[Absence, ...] = ()
    sides: tuple[Side, ...] = ()
    choices: Mapping[tuple[Key, int], bool] = field(default_factory=dict)
    passed: tuple[tuple[Event, bool], ...] = ()
    pending: tuple[Way, ...] = ()

    def passing(self, event: Event) -> list[Run]:
        """The run after an event that satisfies nothing; one that has not begun is none."""
        return [replace(self, passed=(*self.passed, (event, False)))] if self.taken else []


@dataclass(frozen=True)
class Ending:
    """A run that has come to the end of the pattern."""

    taken: tuple[Taken, ...]
    absences: tuple[Absence, ...]
    sides: tuple[Side, ...]


class Undecided(Exception):
    """An every-length repetition may go on or stop, and the run has to be split."""

    def __init__(self, key: tuple[Key, int]) -> None:
        super().__init__(key)
        self.key = key


@dataclass
class Search:
    """All runs of a pattern in one partition.

    Attributes:
        stream_of: the stream of each variable, and `streams` that of each event's id.
        free: the variables that SEQ does not name.
    """

    around: Surroundings
    pattern: Pattern
    stream_of: Mapping[str, str]
    streams: Mapping[str, str]
    free: Sequence[str]

    @cached_property
    def shape(self) -> Shape:
        """Where the pattern's variables stand."""
        return shape_of(self.pattern)

    @cached_property
    def negated(self) -> frozenset[str]:
        """The variables under NOT."""
        return negated_in(self.pattern)

    def endings(self) -> list[Ending]:
        """Every end that a run comes to."""
        runs, found = self.progress()
        return found + [ending(run, way) for run in runs for way in run.pending]

    def progress(self) -> tuple[list[Run], list[Ending]]:
        """The runs that are under way behind the last event, and the ends that are settled by then."""
        found: list[Ending] = []
        runs: list[Run] = []
        for event in self.around.events:
            living: list[Run] = []
            for run in (*runs, Run(self.pattern)):
                for decided, (after, settled) in split(run, partial(self.advanced, event=event)):
                    living += decided.passing(event) if after is None else after
                    found += settled
            runs = []
            for run in living:
                for decided, (pending, reached) in split(run, partial(self.ends, event=event)):
                    runs.append(replace(decided, pending=pending))
                    found += reached
        return runs, found

    def advanced(self, run: Run, event: Event) -> tuple[list[Run] | None, list[Ending]]:
        """The runs that go on from an event, `None` when it satisfies nothing, and the ends that are settled by it."""
        found = (
            (way, self.extended(run, way, candidate))
            for way in ways(run.rest, Before(), (), Looking(self, run, event))
            for candidate in (self.around.candidates[way.variable] if way.variable is not None else ())
            if candidate.event.id == event.id
        )
        satisfied = [(way, longer) for way, longer in found if longer is not None]
        if not satisfied:
            return None, []
        kept = left_of_either(greedy(satisfied))
        prolonged = frozenset().union(*(way.inside for way, _ in kept))
        settled = [ending(run, way) for way in run.pending if not way.leaves & prolonged]
        after = [longer for _, longer in kept]
        if run.taken and any(way.before.link is Link.ANY for way, _ in kept):
            after.append(replace(run, passed=(*run.passed, (event, True)), pending=()))
        return after, settled

    def extended(self, run: Run, way: Way, candidate: Candidate) -> Run | None:
        """The run with one event more; `None`: the event does not satisfy the element."""
        event = candidate.event
        assert way.variable is not None
        if not is_enabled(run, way.before) or (way.before.floor is not None and event.time <= way.before.floor):
            return None
        if any(self.is_until(run, node, place, event) for node, place in way.loops):
            return None
        longer = replace(
            run,
            rest=way.rest,
            taken=(*run.taken, Taken(way.variable, candidate, way.place)),
            absences=(*run.absences, *(replace(absence, next=event) for absence in way.absences)),
            sides=tuple(dict.fromkeys((*run.sides, *way.sides))),
            pending=(),
        )
        return longer if self.may_match(longer, event) else None

    def may_match(self, run: Run, event: Event) -> bool:
        """Whether the windows hold, and the JOINs and NOTs that are decidable."""
        more = remaining(run.rest, (), Looking(self, run, event)) | {(variable, ()) for variable in self.free}
        bound = Bound(self.shape, run.taken, more, run.sides)
        joins = [c for c in self.around.query.joins if not self.negated & set(mentioned(c))]
        return (
            fits(self.around.query, bound)
            and all(may_hold(c, bound) for c in joins)
            and not any(is_violated(a, bound, bound, self.around, ended=False) for a in timed(run.absences, None))
            and all(in_width(absence, bound, self.around) for absence in timed(run.absences, None))
        )

    def ends(self, run: Run, event: Event) -> tuple[tuple[Way, ...], list[Ending]]:
        """The ends of the pattern that a run has reached with its last event: those that wait, and the others."""
        if run.taken[-1].candidate.event != event:
            return run.pending, []
        found = [way for way in ways(run.rest, Before(), (), Looking(self, run, None)) if way.variable is None]
        return tuple(way for way in found if way.leaves), [ending(run, way) for way in found if not way.leaves]

    def is_until(self, run: Run, node: Element | Group, place: Place, event: Event) -> bool:
        """Whether an event of the element's stream satisfies its UNTIL, as the run stands before the event."""
        quantifier = node.quantifier
        if quantifier is None or quantifier.until is None:
            return False
        own = shape_of(node).groups
        so_far = [t for t in run.taken if t.candidate.event.order < event.order]
        every = Bound(self.shape, tuple(so_far))
        if isinstance(node, Group) and set(mentioned(quantifier.until)) <= set(own):
            inside = [t for t in so_far if t.variable in own and t.place[: len(place)] == place]
            so_far = [t for t in inside if t.place[: len(place) + 1] == inside[-1].place[: len(place) + 1]]
        bound = Bound(self.shape, tuple(so_far))
        return any(
            self._is_until(variable, candidate, quantifier.until, bound, every)
            for variable in mentioned(quantifier.until)
            if variable in own and self.stream_of[variable] == self.streams[event.id]
            for candidate in self._as(variable, event)
        )

    def _as(self, variable: str, event: Event) -> list[Candidate]:
        """An event as a variable's, candidate or not."""
        return [c for c in self.around.candidates[variable] if c.event.id == event.id] or [Candidate(event)]

    def _is_until(self, variable: str, candidate: Candidate, condition: Expression, bound: Bound, every: Bound) -> bool:
        """The same for one event; RUNNING and PREV look back over `every` repetition."""
        runs = {v: bound.run(v) for v in mentioned(condition)}
        chosen = list(choices(runs | {variable: (candidate,)}, plainly(condition)))
        before = [earlier(condition, every, c, candidate) for c in chosen]
        return bool(chosen) and all(holds(condition, Scope(c, runs, b)) for c, b in zip(chosen, before, strict=True))


T = TypeVar("T")


def split(run: Run, step: Callable[[Run], T]) -> Iterator[tuple[Run, T]]:
    """Do something with a run, as several runs where lengths have to be decided: each length is a run of its own."""
    open_runs = [run]
    while open_runs:
        one = open_runs.pop()
        try:
            result = step(one)
        except Undecided as undecided:
            open_runs += [replace(one, choices={**one.choices, undecided.key: goes}) for goes in (False, True)]
        else:
            yield one, result


@dataclass(frozen=True)
class Looking:
    """A run that looks at an event."""

    search: Search
    run: Run
    event: Event | None

    @property
    def policy(self) -> Link:
        """The link that `,` is."""
        return LINKS[self.search.around.query.policy]

    def goes_on(self, key: Key, count: int, *, may_stop: bool, may_go: bool) -> bool:
        """What was decided for the run.

        Raises:
            Undecided: nothing was.
        """
        if not (may_stop and may_go):
            return may_go
        if (key, count) not in self.run.choices:
            raise Undecided((key, count))
        return self.run.choices[key, count]

    def is_ended(self, node: Element | Group, place: Place, since: Event) -> bool:
        """Whether an event after `since`, up to this one, satisfied the UNTIL."""
        now = self.event or self.run.taken[-1].candidate.event
        seen = [e for e in self.search.around.events if since.order < e.order <= now.order]
        return any(self.search.is_until(self.run, node, place, e) for e in seen)


def is_enabled(run: Run, before: Before) -> bool:
    """Whether the link still admits an element: `->` passes over what could not extend the run, `=>` over nothing."""
    if before.since is None:
        return True
    passed = [extending for event, extending in run.passed if event.order > before.since.order]
    return before.link is Link.ANY or not (passed if before.link is Link.STRICT else any(passed))


def greedy(satisfied: Sequence[tuple[Way, Run]]) -> list[tuple[Way, Run]]:
    """Where an event can both prolong a repetition and leave it, only the prolonging branches."""
    prolonged = frozenset().union(*(way.inside for way, _ in satisfied))
    return [(way, run) for way, run in satisfied if not way.leaves & prolonged]


def left_of_either(satisfied: Sequence[tuple[Way, Run]]) -> list[tuple[Way, Run]]:
    """Of the sides of an OR that an event satisfies only the left, unless the OR's link is `->>`."""

    def is_beaten(way: Way) -> bool:
        return any(
            side.link is not Link.ANY and side.key == other.key and other.index < side.index
            for side in way.sides
            for rival, _ in satisfied
            for other in rival.sides
        )

    return [(way, run) for way, run in satisfied if not is_beaten(way)]


def ending(run: Run, way: Way) -> Ending:
    """The end of a run; the NOTs that nothing follows are the last of the pattern."""
    return Ending(run.taken, (*run.absences, *way.absences), tuple(dict.fromkeys((*run.sides, *way.sides))))


def fits(query: Query, bound: Bound) -> bool:
    """Whether the events lie inside the windows; nothing that comes later makes up for it."""
    widths = [(w.variables, w.width) for w in query.windows if isinstance(w, CorrelationWindow)]
    if query.retention is not None:
        widths.append((tuple(source.variable for source in query.sources), query.retention))
    for variables, width in widths:
        moments = [c.event.time for v in variables for c in bound.run(v)]
        if moments and max(moments) - min(moments) > width:
            return False
    return True
