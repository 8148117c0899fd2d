"""What a state is made of: what is known at a moment, and partial matches (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from kaicep.language.nodes.pattern import CorrelationWindow, SlidingWindow
from kaicep.language.nodes.query import Query

from .absences import Surroundings
from .conditions import Bound
from .events import Event
from .expressions import Candidate
from .terms import Absence
from .values import later

MICROSECOND = timedelta(microseconds=1)
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Partial:
    """A partial match: the events of each variable that is bound, and when WINDOW ends it; `None`: never."""

    runs: Mapping[str, tuple[Candidate, ...]]
    until: datetime | None

    @property
    def events(self) -> list[Candidate]:
        """All its events, in total order."""
        return sorted((c for run in self.runs.values() for c in run), key=lambda c: c.order)

    @property
    def bound(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The ids by variable, which tell partial matches apart."""
        return tuple((v, tuple(c.event.id for c in run)) for v, run in self.runs.items())


@dataclass(frozen=True)
class Place:
    """A context window in which all events of FOR's variables lie.

    Attributes:
        holds: whether the event of a variable lies in it.
        open: whether events after the moment may.
    """

    holds: Callable[[str, Candidate], bool]
    open: bool


@dataclass(frozen=True)
class Moment:
    """What is known at a moment.

    Attributes:
        candidates: of every variable, up to the moment, in total order.
        events: of the streams in FROM, up to the moment.
        within: whether a moment lies within the bounds.
        at: the moment.
        required: the variables of FOR.
        place: the window of these; `None`: one that is still to come, or there are no such variables.
    """

    query: Query
    candidates: Mapping[str, Sequence[Candidate]]
    events: Mapping[str, Sequence[Event]]
    within: Callable[[datetime], bool]
    at: datetime
    required: tuple[str, ...] = ()
    place: Place | None = None

    def is_chance(self, runs: Mapping[str, Sequence[Candidate]], coming: frozenset[str]) -> bool:
        """Whether the events of FOR's variables can lie in its window, those of the variables that come among them."""
        bound = [(v, c) for v in self.required for c in runs.get(v, ())]
        more = coming.intersection(self.required)
        if not self.required:
            return True
        if self.place is None:
            return not bound and bool(more)
        lie = all(self.place.holds(v, c) for v, c in bound)
        return bool(bound) and lie and (self.place.open or not more)


def once(found: Iterable[Partial]) -> list[Partial]:
    """Each set of bound events once, until the latest of its ends."""
    distinct: dict[object, Partial] = {}
    for one in found:
        known = distinct.setdefault(one.bound, one)
        if known.until is not None and (one.until is None or one.until > known.until):
            distinct[one.bound] = one
    return list(distinct.values())


def is_inside(moment: Moment, runs: Mapping[str, Sequence[Candidate]]) -> bool:
    """Whether the sliding windows hold what is bound when an event comes later."""
    after = moment.at + MICROSECOND
    for window in moment.query.windows:
        if not isinstance(window, SlidingWindow):
            continue
        run = runs.get(window.variable, ())
        if isinstance(window.extent, timedelta):
            if any(after - c.event.time >= window.extent for c in run):
                return False
        elif any(c not in moment.candidates[window.variable][-window.extent :] for c in run):
            return False
    return True


def latest(query: Query, variable: str, runs: Mapping[str, Sequence[Candidate]]) -> datetime:
    """The last moment at which an event of a variable can come beside what is bound."""
    widths = [(w.variables, w.width) for w in query.windows if isinstance(w, CorrelationWindow)]
    if query.retention is not None:
        widths.append((tuple(s.variable for s in query.sources), query.retention))
    ends = [NEVER]
    for variables, width in widths:
        times = [c.event.time for v in variables for c in runs.get(v, ())]
        if times and variable in variables:
            ends.append(later(min(times), width))
    for window in query.windows:
        if isinstance(window, SlidingWindow) and isinstance(window.extent, timedelta):
            ends += [later(c.event.time, window.extent) for c in runs.get(window.variable, ())]
    return min(ends)


def last_moment(timer: Absence, bound: Bound, around: Surroundings, moment: Moment) -> datetime | None:
    """The last moment of EVERY behind the present one; `NEVER`: there is always one more; `None`: there is none."""
    assert timer.last is not None
    assert timer.node.duration is not None
    first, at = bound.taken[0].candidate.event.time, timer.last.time
    if around.longest is None and moment.within(NEVER):
        return NEVER
    found = None
    while moment.within(at := later(at, timer.node.duration)) or at <= moment.at:
        if around.longest is not None and at - first > around.longest:
            break
        found = at if at > moment.at else None
    return found
