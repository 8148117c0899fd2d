"""What waits in a consumption mode at a moment (LANGUAGE-2 §9: "modes: what waits")."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from .absences import Surroundings
from .consumption import Occurrence, keep_of, pairings, variables_of
from .matches import Match, by_stage, together
from .partials import MICROSECOND, NEVER, Moment, Partial, is_inside, latest
from .rows import Report
from .values import later


def waiting(moment: Moment, around: Surroundings, streams: Mapping[str, str]) -> tuple[list[Partial], list[Report]]:
    """What waits in one partition for events after the moment, and the matches so far."""
    query = moment.query
    found: list[Partial] = []
    matches: list[Match] = []
    parts = by_stage(around, streams, moment.candidates, moment.within)
    for chosen, waits in pairings(query, parts, around.candidates):
        found += [partial for one in waits if (partial := _partial(moment, one)) is not None]
        matches = [together(pairs) for pairs in chosen]
    return found, [Report(m.time, m.scope, m.events, m.runs) for m in matches]


def _partial(moment: Moment, one: Occurrence) -> Partial | None:
    """What waits, unless its time is over: all other variables have still to come, within WINDOW and KEEP."""
    runs = {v: (c,) for v, c in one.taken.items()}
    coming = frozenset(v for v in variables_of(moment.query) if v not in runs)
    until = min(latest(moment.query, v, runs) for v in coming)
    extent = keep_of(moment.query, one)
    after = moment.at + MICROSECOND
    kept = later(one.last.event.time, extent) if isinstance(extent, timedelta) else NEVER
    if until < after or kept <= after or not is_inside(moment, runs) or not moment.is_chance(runs, coming):
        return None
    return Partial(runs, None if min(until, kept) == NEVER else min(until, kept))
