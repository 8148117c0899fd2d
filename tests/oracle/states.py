"""States at a moment: the partial matches, and the events of open windows (LANGUAGE-2 §9), as plainly as can be.

All that is given are candidates and events up to the moment; what could still come is tried with an event of which
nothing is known but that it comes later.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from kaicep.language.nodes.pattern import Timer
from kaicep.language.nodes.query import Kind, Query

from . import after_match
from .absences import Surroundings, comes_after, end_of, in_width, is_violated, moments, timed
from .completions import completions, needed
from .conditions import Bound, Taken, may_hold, mentioned, negated_in, shape_of
from .events import Event
from .expressions import Candidate
from .matches import match_of, partitions, with_others
from .open_windows import open_candidates
from .partials import MICROSECOND, NEVER, Moment, Partial, is_inside, last_moment, latest, once
from .rows import Report, standing
from .runs import Ending, Looking, Run, Search, ending, fits, is_enabled, split
from .terms import Absence, Before, Place, Way, remaining, ways
from .values import later
from .waiting import waiting


def held(moment: Moment, matches: Sequence[Partial]) -> dict[str, list[Candidate]]:
    """By variable, the candidates that the state holds, in total order, an event once; `matches`: the partial ones."""
    query = moment.query
    if query.kind is Kind.AGGREGATION:
        over = not moment.within(moment.at + MICROSECOND)
        closed = moment.place is not None and not moment.place.open
        found = {} if over else open_candidates(query, moment.candidates, moment.at, closed=closed)
    else:
        found = {s.variable: [] for s in query.sources}
        for one in matches:
            for variable, run in one.runs.items():
                found[variable] += run
    distinct = {v: {c.event.id: c for c in own} for v, own in found.items()}
    return {v: sorted(own.values(), key=lambda c: c.order) for v, own in distinct.items()}


def partials(moment: Moment) -> list[Partial]:
    """The partial matches, each set of bound events once."""
    query = moment.query
    if query.kind is not Kind.PATTERN or not moment.within(moment.at + MICROSECOND):
        return []
    found: list[Partial] = []
    reported: list[Report] = []
    for one, matched in (_of_partition(moment, *own) for own in partitions(query, moment.candidates, moment.events)):
        found += one
        reported += [r for r in matched if moment.is_chance(r.runs, frozenset())]
    stood = standing(query, reported)
    return [one for one in once(found) if _is_allowed(query, one, stood)]


def first_undecided(moment: Moment) -> tuple[object, ...] | None:
    """Where in output order the first run stands that may be prolonged or end as it is; `None`: there is none."""
    query = moment.query
    if query.kind is not Kind.PATTERN or query.after_match.is_mode:
        return None
    parts = [_looking(moment, *own) for own in partitions(query, moment.candidates, moment.events)]
    return min((_place_of_run(run) for looking in parts for run in looking.undecided()), default=None)


def _is_allowed(query: Query, one: Partial, stood: Sequence[Report]) -> bool:
    """Whether AFTER MATCH lets it go on."""
    if query.after_match.is_mode:
        return True
    rivals = [r for r in stood if after_match.partition(query, r) == after_match.partition(query, one)]
    return all(after_match.allows(query.after_match, earlier, one) for earlier in rivals)


def _of_partition(
    moment: Moment, own: Mapping[str, list[Candidate]], events: Mapping[str, list[Event]]
) -> tuple[list[Partial], list[Report]]:
    """The partial matches of one partition, and the matches that are settled."""
    query = moment.query
    looking = _looking(moment, own, events)
    if query.after_match.is_mode:
        streams = {e.id: name for name, some in events.items() for e in some}
        return waiting(moment, looking.around, streams)
    found = [p for run in looking.runs for p in looking.of_run(run)]
    undecided = looking.undecided()
    ended = [ending(run, way) for run in looking.runs if run not in undecided for way in run.pending]
    ended += looking.ended
    found += [p for e in ended for p in looking.of_ending(e)]
    bound = min((_place_of_run(run) for run in undecided), default=None)
    return found, [r for r in _matches(moment, looking.around, ended) if bound is None or place_of(r) < bound]


def _looking(moment: Moment, own: Mapping[str, list[Candidate]], events: Mapping[str, list[Event]]) -> Prospect:
    """All runs of one partition."""
    query = moment.query
    every = {e.id: e for some in events.values() for e in some}
    around = Surroundings(query, own, sorted(every.values(), key=lambda e: e.order), moment.at)
    stream_of = {s.variable: s.stream.name for s in query.sources}
    streams = {e.id: name for name, some in events.items() for e in some}
    free = [v for v in stream_of if v not in shape_of(query.pattern).groups]
    if query.pattern is None or query.after_match.is_mode:
        return Prospect(moment, around, None, free, (), (Ending((), (), ()),))
    search = Search(around, query.pattern, stream_of, streams, free)
    runs, ended = search.progress()
    return Prospect(moment, around, search, free, (*runs, Run(query.pattern)), tuple(ended))


def place_of(match: Report) -> tuple[object, ...]:
    """Where a match stands in output order."""
    return match.time, match.events[-1].event.order, match.events[0].event.order


def _place_of_run(run: Run) -> tuple[object, ...]:
    """Where it would stand, if nothing prolonged it: no match that is reported behind it is settled."""
    first, last = run.taken[0].candidate.event, run.taken[-1].candidate.event
    return last.time, last.order, first.order


def _matches(moment: Moment, around: Surroundings, ended: Sequence[Ending]) -> Iterator[Report]:
    """The matches that have become true."""
    for one in ended:
        for taken in with_others(around, one.taken):
            bound = Bound(shape_of(around.query.pattern), one.taken)
            for at in moments(one.absences, bound, around):
                match = match_of(replace(one, taken=taken), one, around, moment.candidates, moment.within, moment=at)
                if match is not None and match.time <= moment.at:
                    yield Report(match.time, match.scope, match.events, match.runs)


@dataclass(frozen=True)
class Prospect:
    """What may become of runs and of what has come to an end."""

    moment: Moment
    around: Surroundings
    search: Search | None
    free: Sequence[str]
    runs: Sequence[Run]
    ended: Sequence[Ending]

    def undecided(self) -> list[Run]:
        """The runs that could end, and that an event may lead on."""
        return [run for run in self.runs if run.pending and self.goes_on(run)]

    def of_run(self, run: Run) -> Iterator[Partial]:
        """The partial matches that a run is, with every choice of the variables that SEQ does not name."""
        for decided, remains in split(run, self._remains) if self.search is not None else ():
            for taken, unbound in self._with_free(run.taken):
                more = remains | {(v, ()) for v in unbound}
                bound = Bound(shape_of(self.around.query.pattern), taken, more, run.sides)
                if taken and self._may_be(bound):
                    yield from self._partials(bound, self.prospects(decided, bound, unbound))

    def of_ending(self, one: Ending) -> Iterator[Partial]:
        """The partial matches that an end of SEQ is: variables are unbound that it does not name, or NOTs go on."""
        for taken, unbound in self._with_free(one.taken):
            more = frozenset((v, ()) for v in unbound)
            bound = Bound(shape_of(self.around.query.pattern), taken, more, one.sides)
            if taken and self._may_be(bound):
                yield from self._partials(bound, self._at_end(one, bound, unbound))

    def _partials(self, bound: Bound, ends: Sequence[datetime]) -> Iterator[Partial]:
        negated = negated_in(self.around.query.pattern)
        named = [s.variable for s in self.around.query.sources if s.variable not in negated]
        runs = {v: bound.run(v) for v in named}
        if ends:
            yield Partial({v: run for v, run in runs.items() if run}, None if max(ends) == NEVER else max(ends))

    def _with_free(self, taken: tuple[Taken, ...]) -> Iterator[tuple[tuple[Taken, ...], list[str]]]:
        """With every choice of distinct events for some of the variables that SEQ does not name; the others."""
        for choice in itertools.product(*([None, *self.around.candidates[v]] for v in self.free)):
            own = [Taken(v, c, ()) for v, c in zip(self.free, choice, strict=True) if c is not None]
            every = [*taken, *own]
            if len({t.candidate.event.id for t in every}) == len(every):
                unbound = [v for v, c in zip(self.free, choice, strict=True) if c is None]
                yield tuple(sorted(every, key=lambda t: t.candidate.order)), unbound

    def _remains(self, run: Run) -> frozenset[tuple[str, Place]]:
        assert self.search is not None
        return remaining(run.rest, (), Looking(self.search, run, self._event()))

    def _event(self, time: datetime | None = None) -> Event:
        return Event("urn:later", time or self.moment.at + MICROSECOND, {})

    def _may_be(self, bound: Bound) -> bool:
        """Whether nothing that is decidable is violated."""
        query = self.around.query
        joins = [c for c in query.joins if not negated_in(query.pattern) & set(mentioned(c))]
        return (
            fits(query, bound) and all(may_hold(c, bound) for c in joins) and is_inside(self.moment, self._runs(bound))
        )

    def _latest(self, variable: str, bound: Bound) -> datetime:
        """The last moment at which an event of a variable can come."""
        return latest(self.around.query, variable, self._runs(bound))

    def _runs(self, bound: Bound) -> dict[str, tuple[Candidate, ...]]:
        return {s.variable: bound.run(s.variable) for s in self.around.query.sources}

    def goes_on(self, run: Run) -> bool:
        """Whether an event may come that leads a run on."""
        return self.search is not None and any(found for _, found in split(run, self._goes_on))

    def _goes_on(self, run: Run) -> bool:
        assert self.search is not None
        look = Looking(self.search, run, self._event())
        bound = Bound(shape_of(self.around.query.pattern), run.taken, frozenset(), run.sides)
        leading = (way for way in ways(run.rest, Before(), (), look) if way.variable is not None)
        found = [(way.variable, self._leads_on(run, way, bound, look)) for way in leading]
        return any(first is not None and self._latest(str(v), bound) >= first for v, first in found)

    def prospects(self, run: Run, whole: Bound, unbound: Sequence[str]) -> list[datetime]:
        """Until when events may come that complete a run; none: none do.

        Args:
            run: the run.
            whole: with the events of variables that SEQ does not name.
            unbound: those of them that have none.
        """
        if self.search is None:
            return []
        found: list[datetime] = []
        for decided, ends in split(run, partial(self._ends, whole=whole, unbound=frozenset(unbound))):
            assert decided.rest == run.rest
            found += ends
        return found

    def _ends(self, run: Run, whole: Bound, unbound: frozenset[str]) -> list[datetime]:
        assert self.search is not None
        look = Looking(self.search, run, self._event())
        found = [end for way in run.pending if unbound for end in self._at_end(ending(run, way), whole, unbound)]
        for way in ways(run.rest, Before(), (), look):
            if way.variable is not None:
                first = self._leads_on(run, way, whole, look)
                further = completions(way.rest, look, partial(is_enabled, run), needed(self.search.pattern))
                sets = [{way.variable} | rest | unbound for rest in further]
                found += [] if first is None else self._completed(whole, sets, first)
        return found

    def _completed(self, whole: Bound, sets: Iterable[frozenset[str] | set[str]], first: datetime) -> list[datetime]:
        """Until when events of all variables of one of some sets may come, the first at a moment."""
        runs = self._runs(whole)
        chances = [s for s in sets if self.moment.is_chance(runs, frozenset(s))]
        ends = [min(self._latest(v, whole) for v in s) for s in chances]
        return [end for end in ends if end >= first]

    def _leads_on(self, run: Run, way: Way, whole: Bound, look: Looking) -> datetime | None:
        """From when on an event may come that goes a way; `None`: none may."""
        assert way.variable is not None
        if not is_enabled(run, way.before):
            return None
        first = self.moment.at + MICROSECOND
        if way.before.floor is not None:
            first = max(first, later(way.before.floor, MICROSECOND))
        query, shape = self.around.query, shape_of(self.around.query.pattern)
        more = remaining(way.rest, (), look) | {(way.variable, way.place)}
        sides = (*run.sides, *way.sides)
        of_pattern = Bound(shape, run.taken, more | {(v, ()) for v in self.free}, sides)
        bound = Bound(shape, whole.taken, more | {(v, ()) for v in self.free if not whole.run(v)}, sides)
        event = self._event(first)
        absences = timed((*run.absences, *(replace(a, next=event) for a in way.absences)), None)
        forbidden = run.taken and any(is_violated(a, bound, of_pattern, self.around, ended=False) for a in absences)
        joins = [c for c in query.joins if not negated_in(query.pattern) & set(mentioned(c))]
        holds = all(may_hold(c, bound) for c in joins)
        widths = not run.taken or all(in_width(a, of_pattern, self.around) for a in absences)
        return first if holds and widths and not forbidden and self.moment.within(first) else None

    def _at_end(self, one: Ending, bound: Bound, unbound: Iterable[str]) -> list[datetime]:
        """Until when a run that has come to the end of SEQ may become a match."""
        free = frozenset(unbound)
        ends = self._of_absences(one, bound, free)
        first = self.moment.at + MICROSECOND
        if not free:
            return ends if self.moment.is_chance(self._runs(bound), free) else []
        return [min(end, e) for end in ends for e in self._completed(bound, [free], first)]

    def _of_absences(self, one: Ending, bound: Bound, unbound: frozenset[str]) -> list[datetime]:
        """Until when last NOTs and timers go on that nothing has violated so far; they, or what is still unbound."""
        pattern = Bound(shape_of(self.around.query.pattern), one.taken, frozenset(), one.sides)
        last_one = one.absences[-1] if one.absences and one.absences[-1].next is None else None
        timer = last_one if last_one is not None and isinstance(last_one.node, Timer) else None
        recurring = timer is not None and getattr(timer.node, "until", None) is not None
        last = last_moment(timer, pattern, self.around, self.moment) if timer is not None and recurring else None
        if recurring and last is None:
            return []
        absences = timed(one.absences, last)
        if any(is_violated(a, bound, pattern, self.around, ended=True) for a in absences):
            return []
        if not all(in_width(a, pattern, self.around) for a in absences):
            return []
        if any(a.strict and a.next is None and self._is_last(a) for a in absences):
            return [NEVER]
        if last is not None and not comes_after(last, absences, pattern, self.around):
            return []
        ends = [end for a in absences if (end := end_of(a, pattern, self.around)) is not None]
        if not all(self.moment.within(end) for end in ends):
            return []
        if unbound and timer is None:  # they may come behind the NOTs
            return [NEVER]
        return [max(ends)] if ends and max(ends) > self.moment.at else []

    def _is_last(self, absence: Absence) -> bool:
        return absence.last is not None and self.around.next_of(absence.last) is None
