"""Variables that SEQ does not name: joined to matches of SEQ that an automaton found (docs/semantics.md 3.4).

A match of SEQ is remembered as long as an event of theirs may still come that lies within its WINDOWs, and their
candidates as long as a match that ends later may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, assert_never

from ...expressions import plain_name
from ...language.nodes import Binary, Query, ends_with_timer, variables_of
from ..limits import Ceilings
from ..match import Age, join_free_variables
from ..order import UNBOUNDED, key_expressions
from .compiler import CodeGenerator, PatternConditions, windows_of
from .event_layout import NUMBER, TIME, Event, speaks_of_one
from .free_variable_conditions import FreeVariableCondition, Runs, Sides
from .match_queue import QueuedMatches
from .negation_buffer import NegationBuffer
from .runtime import PartitionKey
from .shared_buffer import Path, Remainder, chain

__all__ = ["FreeVariableMatches", "OpenMatch", "SequenceMatch"]


@dataclass(frozen=True, slots=True)
class SequenceMatch:
    """A run that is a match of SEQ.

    Attributes:
        shared: the values of PARTITION BY.
        time: when it became true.
        path: its events.
        sides: the sides of ORs that it takes.
        doubtful: by variable under NOT, the candidates that are forbidden if JOINs with other variables hold, too.
    """

    shared: PartitionKey
    time: int
    path: Path
    sides: Sides
    doubtful: tuple[tuple[Event, ...], ...]


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A run to which something may be joined: its events by variable, and until when that may come."""

    match: SequenceMatch
    runs: Runs
    latest: int


@dataclass(frozen=True, slots=True)
class _Equal:
    """A JOIN that says what an event's partners are equal to.

    Attributes:
        partner: the variable on the other side.
        of_partner: where in its events the value stands.
        own: where it stands in the events that are looked for.
    """

    partner: str
    of_partner: int
    own: int


class FreeVariableMatches:
    """Joins what SEQ does not name.

    Args:
        query: the query.
        conditions: the query's.
        code: compiles them.
        variables: those that are matched; paths go by their places.
        ceilings: how much the query may take.

    Attributes:
        variables: see above.
        free: the variables that SEQ does not name.
        conditions: the JOINs with these.
        absent: the variables under NOT that some of them mention, each with those.
        timed: whether SEQ ends with a timer, behind whose moment nothing comes.
        candidates: of the variables, by partition and by what a JOIN says they are equal to.
        open: runs to which something may be joined.
    """

    def __init__(
        self,
        query: Query,
        conditions: PatternConditions,
        code: CodeGenerator,
        variables: Sequence[str],
        ceilings: Ceilings,
    ) -> None:
        self.variables, self._ceilings = variables, ceilings
        self.free = conditions.free
        self._place = {v: place for place, v in enumerate(variables)}
        asked = [FreeVariableCondition(code, c, conditions.scopes.others) for c in conditions.free_joins]
        self.conditions = [c for c in asked if c.variables.isdisjoint(conditions.scopes.negations)]
        negations = conditions.scopes.negations
        self._asked = {
            v: [c for c in asked if v in c.variables and c.variables.isdisjoint({*self.free[i + 1 :], *negations})]
            for i, v in enumerate(self.free)
        }
        self.absent = [(n, [c for c in asked if n in c.variables]) for n in conditions.doubtful]
        self.timed = ends_with_timer(query.pattern)
        self._apart = _distances(query, self.free, variables)
        self.reach = max((d for d in self._apart.values() if d < UNBOUNDED), default=0)
        self._equal = {v: equal for v in self.free if (equal := _equality(query, conditions, v)) is not None}
        self.candidates: dict[tuple[str, PartitionKey], dict[Any, NegationBuffer]] = {}
        self.open: list[OpenMatch] = []
        self._new: list[OpenMatch] = []
        self.seen = -1
        self._newest = -1

    def __bool__(self) -> bool:
        return bool(self.free)

    def arrive(self, arrived: Mapping[tuple[str, PartitionKey], Sequence[Event]]) -> None:
        """Take in candidates."""
        for (variable, shared), events in arrived.items():
            kept = self.candidates.setdefault((variable, shared), {})
            equal = self._equal.get(variable)
            self._newest = max(self._newest, *(event[NUMBER] for event in events))
            for event in events:
                value = None if equal is None else event[equal.own]
                kept.setdefault(value, NegationBuffer()).add((event,))

    def clear(self) -> None:
        """Forget everything."""
        self.candidates.clear()
        self.open, self._new = [], []
        self.seen = self._newest = -1

    def add(self, match: SequenceMatch) -> None:
        """Take in a match of SEQ."""
        self._new.append(self.opened(match))

    def opened(self, match: SequenceMatch) -> OpenMatch:
        """The same, with what is looked at again and again."""
        runs = self.runs_of(match.path)
        return OpenMatch(match, runs, max(self._span(v, runs)[1] for v in self.free))

    def runs_of(self, path: Path) -> dict[str, list[Event]]:
        """The events of each variable."""
        runs: dict[str, list[Event]] = {v: [] for v in self.variables}
        for place, event in path:
            runs[self.variables[place]].append(event)
        return runs

    def path_of(self, path: Path, runs: Runs) -> Path:
        """The events of a run of SEQ, and those that are joined to it."""
        joined = [(self._place[v], runs[v][0]) for v in self.free if runs[v]]
        return sorted((*path, *joined), key=lambda step: step[1][NUMBER])

    def all_candidates(self, variable: str, shared: PartitionKey) -> list[Event]:
        """The candidates of a variable in a partition."""
        return [event for kept in self.candidates.get((variable, shared), {}).values() for event in kept.rows]

    def matches(self, watermark: int) -> Iterator[QueuedMatches]:
        """The matches with a new event or a new run; drops runs that nothing more can be joined to."""
        found: Counter[int] = Counter()
        old = self.open if self._newest > self.seen else []
        for match in self._joined(self._new, old):
            number = match[2][3][NUMBER]
            found[number] += 1
            self._ceilings.check("matches_per_event", found[number])
            yield match
        self.seen = self._newest
        self.open = [one for one in (*self.open, *self._new) if one.latest >= watermark]
        self._new = []

    def joined(self, added: Iterable[SequenceMatch]) -> Iterator[QueuedMatches]:
        """What some matches of SEQ would be with what is known; they are not taken in."""
        return self._joined([self.opened(match) for match in added], [])

    def _joined(self, new: Sequence[OpenMatch], old: Sequence[OpenMatch]) -> Iterator[QueuedMatches]:
        for one in join_free_variables(self.free, new, old, self._extended):
            if not self._is_refuted(one):
                found = self._found(one)
                if not self.timed or found[0] == one.match.time:  # nothing lies behind the moment of a timer
                    yield found

    def _extended(self, one: OpenMatch, variable: str, age: Age) -> Iterator[OpenMatch]:
        """A match of SEQ with every candidate of a variable that its WINDOWs and JOINs admit, and that is not its."""
        match, runs = one.match, one.runs
        taken = {event[NUMBER] for events in runs.values() for event in events}
        for event in self._fitting(match.shared, variable, runs, age):
            grown = {**runs, variable: [event]}
            if event[NUMBER] not in taken and all(c.holds(grown, match.sides) for c in self._asked[variable]):
                yield OpenMatch(match, grown, one.latest)

    def _fitting(self, shared: PartitionKey, variable: str, runs: Runs, age: Age) -> Iterator[Event]:
        """The candidates within the windows, with the value that a JOIN asks for."""
        first, last = self._span(variable, runs)
        for kept in self._alike(shared, variable, runs):
            match age:
                case Age.ANY:
                    yield from kept.between(first, last)
                case Age.OLD:
                    yield from (event for event in kept.between(first, last) if event[NUMBER] <= self.seen)
                case Age.NEW:
                    yield from (event for event in kept.after(self.seen) if first <= event[TIME] <= last)
                case _:
                    assert_never(age)

    def _alike(self, shared: PartitionKey, variable: str, runs: Runs) -> list[NegationBuffer]:
        kept, equal = self.candidates.get((variable, shared), {}), self._equal.get(variable)
        if equal is None or not runs[equal.partner]:
            return list(kept.values())
        value = runs[equal.partner][0][equal.of_partner]
        return [kept[value]] if value is not None and value in kept else []

    def _span(self, variable: str, runs: Runs) -> tuple[int, int]:
        """When an event of the variable may come."""
        first, last = -UNBOUNDED, UNBOUNDED
        for other, events in runs.items():
            apart = self._apart[variable, other]
            if events and apart < UNBOUNDED:
                first, last = max(first, events[-1][TIME] - apart), min(last, events[0][TIME] + apart)
        return first, last

    def _is_refuted(self, one: OpenMatch) -> bool:
        """Whether a candidate of a NOT is forbidden by JOINs with what is joined."""
        return any(
            all(c.holds({**one.runs, n: [event]}, one.match.sides) for c in asked)
            for (n, asked), events in zip(self.absent, one.match.doubtful, strict=True)
            for event in events
        )

    def _found(self, one: OpenMatch) -> QueuedMatches:
        path = self.path_of(one.match.path, one.runs)
        times = (one.runs[v][0][TIME] for v in self.free)
        return max(one.match.time, *times), path[0][1], chain(path)

    def drop(self, left: Remainder) -> None:
        """Drop the runs that no match may hold any more because of matches that stand."""
        self.open = [one for one in self.open if left.allows(one.match.shared, one.match.path)]

    def retire(self, windows: AbstractSet[object]) -> None:
        """Drop what belongs to context windows that have ended."""
        self.open = [one for one in self.open if one.match.shared[0] not in windows]
        for key in [key for key in self.candidates if key[1][0] in windows]:
            del self.candidates[key]

    def forget(self, before: int) -> None:
        """Drop the candidates that come before all that a run from a moment on can be joined to."""
        for key, kept in list(self.candidates.items()):
            for value, events in list(kept.items()):
                events.forget(before - self.reach)
                if not events.rows:
                    del kept[value]
            if not kept:
                del self.candidates[key]

    @property
    def first_number(self) -> int:
        """The number of the first candidate that is kept."""
        return min((a.numbers[0] for kept in self.candidates.values() for a in kept.values()), default=2**62)


def _distances(query: Query, free: Sequence[str], variables: Sequence[str]) -> dict[tuple[str, str], int]:
    """How far, in microseconds, an event of a free variable may lie from any event of another.

    Windows that share a free variable say something together: each match binds it.
    """
    apart = {(v, w): 0 if v == w else UNBOUNDED for v in free for w in variables}
    for members, width in windows_of(query):
        for v in members & set(free):
            for w in (members & set(variables)) - {v}:  # a retention names those under NOT, too
                apart[v, w] = min(apart[v, w], width)
    for via in free:
        for v in free:
            for w in variables:
                apart[v, w] = min(apart[v, w], apart[v, via] + apart[via, w])
    return apart


def _equality(query: Query, conditions: PatternConditions, variable: str) -> _Equal | None:
    """A JOIN that says of the variable and one that is bound before it that something is equal."""
    before = {*conditions.scopes.positive, *conditions.free[: conditions.free.index(variable)]}
    for join in query.joins:
        if not isinstance(join, Binary) or join.operator != "=" or not all(map(speaks_of_one, (join.left, join.right))):
            continue
        sides = {variable_of_one: e for e in (join.left, join.right) for variable_of_one in variables_of(e)}
        partner = next((v for v in sides if v in before), None)
        if variable not in sides or partner is None:
            continue
        pair = key_expressions(sides[partner], sides[variable], plain_name)
        if pair is not None:
            layout = conditions.layout
            return _Equal(
                partner,
                layout.key(partner, pair[0], sides[partner].type),
                layout.key(variable, pair[1], sides[variable].type),
            )
    return None
