"""Matches over several events: runs of SEQ, every combination with the other variables, every rule asked of each."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kaicep.language.nodes.pattern import SlidingWindow
from kaicep.language.nodes.query import Query

from .absences import Surroundings, comes_after, end_of, in_width, is_violated, is_within, moments, timed
from .conditions import Bound, Taken, may_hold, mentioned, negated_in, shape_of
from .consumption import consumed, stages
from .events import Event
from .expressions import Candidate, Scope
from .runs import Ending, Search, fits
from .values import Value

Partition = tuple[Value | None, ...]
Within = Callable[[datetime], bool]


@dataclass(frozen=True)
class Match:
    """A match.

    Attributes:
        time: the moment at which it became true.
        runs: the events of each variable that is not under NOT, in total order.
    """

    time: datetime
    runs: Mapping[str, Sequence[Candidate]]

    @property
    def events(self) -> list[Candidate]:
        """All its events, in total order."""
        return sorted((c for run in self.runs.values() for c in run), key=lambda c: c.order)

    @property
    def scope(self) -> Scope:
        """What items speak of: `?v.x` is the one event of a run of one."""
        return Scope({variable: run[0] for variable, run in self.runs.items() if len(run) == 1}, self.runs)


def matches(
    query: Query,
    candidates: Mapping[str, Sequence[Candidate]],
    events: Mapping[str, Sequence[Event]],
    within: Within,
    end: datetime | None = None,
) -> list[Match]:
    """Every match of a query of several events.

    Args:
        query: the query.
        candidates: of every variable, in total order.
        events: all events of the streams in FROM, by stream.
        within: whether a moment lies within the bounds.
        end: the greatest time stamp of all sources: EVERY goes no further.
    """
    found: list[Match] = []
    for own, of_partition in partitions(query, candidates, events):
        streams = {e.id: name for name, some in of_partition.items() for e in some}
        every = {e.id: e for some in of_partition.values() for e in some}
        around = Surroundings(query, own, sorted(every.values(), key=lambda e: e.order), end)
        if query.after_match.is_mode:
            found += [together(pairs) for pairs in consumed(query, by_stage(around, streams, candidates, within), own)]
        else:
            found += combinations(around, streams, candidates, within)
    return found


def combinations(
    around: Surroundings, streams: Mapping[str, str], candidates: Mapping[str, Sequence[Candidate]], within: Within
) -> list[Match]:
    """Every match of one partition."""
    found: list[Match] = []
    for ending in endings(around, streams):
        for taken in with_others(around, ending.taken):
            whole = replace(ending, taken=taken)
            bound = Bound(shape_of(around.query.pattern), ending.taken)
            for moment in moments(ending.absences, bound, around):
                match = match_of(whole, ending, around, candidates, within, moment=moment)
                if match is not None and match not in found:
                    found.append(match)
    return found


def by_stage(
    around: Surroundings, streams: Mapping[str, str], candidates: Mapping[str, Sequence[Candidate]], within: Within
) -> list[list[Match]]:
    """Of a mode, every combination of the first two variables, then of the first three, and so on."""
    return [combinations(replace(around, query=stage), streams, candidates, within) for stage in stages(around.query)]


def together(pairs: Sequence[Match]) -> Match:
    """What pairs of a mode are: the events of each variable as a run, each once."""
    runs = {}
    for variable in pairs[0].runs:
        once = {m.runs[variable][0].event.id: m.runs[variable][0] for m in pairs}
        runs[variable] = sorted(once.values(), key=lambda c: c.order)
    return Match(pairs[0].time, runs)


def partitions(
    query: Query, candidates: Mapping[str, Sequence[Candidate]], events: Mapping[str, Sequence[Event]]
) -> Iterator[tuple[dict[str, list[Candidate]], dict[str, list[Event]]]]:
    """PARTITION BY: candidates and events, apart by the values of its attributes; unbound is a value too."""
    stream_of = {source.variable: source.stream.name for source in query.sources}
    columns = {stream_of[v]: tuple(dict(names)[v] for names in query.partition_by) for v in stream_of}

    def partition(stream: str, event: Event) -> Partition:
        return tuple(event.values.get(column) for column in columns[stream])

    for key in dict.fromkeys(partition(s, e) for s in columns for e in events.get(s, ())):
        yield (
            {v: [c for c in some if partition(stream_of[v], c.event) == key] for v, some in candidates.items()},
            {s: [e for e in events.get(s, ()) if partition(s, e) == key] for s in columns},
        )


def endings(around: Surroundings, streams: Mapping[str, str]) -> list[Ending]:
    """The ends of the runs of SEQ; without SEQ the one of nothing."""
    query = around.query
    if query.pattern is None:
        return [Ending((), (), ())]
    named = shape_of(query.pattern).groups
    stream_of = {source.variable: source.stream.name for source in query.sources}
    return Search(around, query.pattern, stream_of, streams, [v for v in stream_of if v not in named]).endings()


def with_others(around: Surroundings, taken: Sequence[Taken]) -> Iterator[tuple[Taken, ...]]:
    """What SEQ binds with every choice of distinct events for the other variables."""
    named = shape_of(around.query.pattern).groups
    others = [source.variable for source in around.query.sources if source.variable not in named]
    for choice in itertools.product(*(around.candidates[v] for v in others)):
        every = [*taken, *(Taken(v, c, ()) for v, c in zip(others, choice, strict=True))]
        if len({t.candidate.event.id for t in every}) == len(every):
            yield tuple(sorted(every, key=lambda t: t.candidate.order))


def match_of(
    ending: Ending,
    pattern: Ending,
    around: Surroundings,
    candidates: Mapping[str, Sequence[Candidate]],
    within: Within,
    *,
    moment: datetime | None = None,
) -> Match | None:
    """The match that an ending is when every rule holds.

    Args:
        ending: all that is bound.
        pattern: what SEQ alone bound.
        around: the partition.
        candidates: those of all partitions.
        within: whether a moment lies within the bounds.
        moment: of a last timer; nothing of the match lies behind it.
    """
    query = around.query
    absences = timed(ending.absences, moment)
    bound = Bound(shape_of(query.pattern), ending.taken, frozenset(), ending.sides)
    of_pattern = replace(bound, taken=pattern.taken)
    negated = negated_in(query.pattern)
    if not (
        fits(query, bound)
        and all(may_hold(condition, bound) for condition in query.joins if not negated & set(mentioned(condition)))
        and all(inside(w, bound, candidates) for w in query.windows if isinstance(w, SlidingWindow))
        and not any(is_violated(a, bound, of_pattern, around, ended=True) for a in absences)
        and all(is_within(a, of_pattern, around, within) and in_width(a, of_pattern, around) for a in absences)
    ):
        return None
    ends = [end for a in absences if (end := end_of(a, of_pattern, around)) is not None]
    time = max([ending.taken[-1].candidate.event.time, *ends])
    if moment is not None and (time > moment or not comes_after(moment, absences, of_pattern, around)):
        return None
    return Match(time, {s.variable: bound.run(s.variable) for s in query.sources if s.variable not in negated})


def inside(window: SlidingWindow, bound: Bound, candidates: Mapping[str, Sequence[Candidate]]) -> bool:
    """A sliding window next to JOIN, judged when the last event of the match arrives; it counts all partitions."""
    last, run = bound.taken[-1].candidate.event, bound.run(window.variable)
    if isinstance(window.extent, timedelta):
        return all(last.time - c.event.time < window.extent for c in run)
    arrived = [c for c in candidates[window.variable] if c.event.order <= last.order]
    return all(c in arrived[-window.extent :] for c in run)
