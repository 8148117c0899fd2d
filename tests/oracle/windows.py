"""Windows of aggregates: which candidates each holds, and when it is reported."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import singledispatch

from kaicep.language.nodes.pattern import (
    BatchWindow,
    CheckWindow,
    CumulateWindow,
    HoppingWindow,
    SessionWindow,
    SlidingWindow,
    Window,
)

from .expressions import Candidate, Scope, holds
from .values import EPOCH, later

Group = tuple[object, ...]


@dataclass(frozen=True)
class Content:
    """A window that is reported.

    Attributes:
        time: the moment of the report.
        start: where the window begins, and `end` where it ends.
        members: what it holds, in total order, never nothing.
        last: the candidate that plain items speak of.
    """

    time: datetime
    start: datetime
    end: datetime
    members: tuple[Candidate, ...]
    last: Candidate


@singledispatch
def contents(window: Window, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    """The windows of one group that are reported.

    Args:
        window: the WINDOW of the query.
        group: the candidates of the group, in total order.
        every: the candidates of all groups, in total order; a SHARED window is over these, and `group` has its part.
    """
    raise TypeError(type(window))


@contents.register
def _(window: SlidingWindow, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    own = {id(x) for x in group}
    for candidate in group:
        t = candidate.event.time
        whole = within_extent(window.extent, candidate, every if window.shared else group)
        members = tuple(x for x in whole if id(x) in own)
        start = later(t, -window.extent) if isinstance(window.extent, timedelta) else members[0].event.time
        yield Content(t, start, t, members, candidate)


def within_extent(extent: timedelta | int | None, last: Candidate, every: Sequence[Candidate]) -> Sequence[Candidate]:
    """The candidates up to the event of one that an extent leaves, in total order."""
    earlier = [x for x in every if x.event.order <= last.event.order]
    if isinstance(extent, timedelta):
        return [x for x in earlier if last.event.time - x.event.time < extent]
    return earlier if extent is None else earlier[-extent:]


@contents.register
def _(window: CheckWindow, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    own = {id(x) for x in group}
    for candidate, held in checked(window, group, every):
        members = tuple(x for x in held if id(x) in own)
        if members and id(candidate) in own:
            t = candidate.event.time
            yield Content(t, members[0].event.time, t, members, candidate)


def checked(
    window: CheckWindow, group: Sequence[Candidate], every: Sequence[Candidate]
) -> Iterator[tuple[Candidate, list[Candidate]]]:
    """Each candidate with what a window by condition holds then."""
    dropped: set[int] = set()
    for candidate in every if window.shared else group:
        held = within_extent(window.extent, candidate, every if window.shared else group)
        dropped |= {
            id(x) for x in group if id(x) not in {id(y) for y in held} and x.event.order < candidate.event.order
        }
        held = [x for x in held if id(x) not in dropped]
        while held and not holds(window.condition, Scope({window.variable: candidate}, {window.variable: held})):
            dropped.add(id(held.pop(0)))
        yield candidate, held


@contents.register
def _(window: BatchWindow, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    if isinstance(window.extent, int):
        for begin in range(0, len(group) - window.extent + 1, window.extent):
            members = tuple(group[begin : begin + window.extent])
            first, last = members[0].event.time, members[-1].event.time
            yield Content(last, first, last, members, members[-1])
        return
    origin = every[0].event.time if window.start == "first" else window.start or EPOCH
    width = window.extent
    for k, group_members in itertools.groupby(group, key=lambda x: (x.event.time - origin) // width):
        members = tuple(group_members)
        start, end = later(origin, k * width), later(origin, (k + 1) * width)
        yield Content(end, start, end, members, members[-1])


@contents.register
def _(window: HoppingWindow, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    if isinstance(window.size, int) or isinstance(window.step, int):
        assert isinstance(window.size, int)
        assert isinstance(window.step, int)
        for begin in range(0, len(group) - window.size + 1, window.step):
            members = tuple(group[begin : begin + window.size])
            first, last = members[0].event.time, members[-1].event.time
            yield Content(last, first, last, members, members[-1])
        return
    starts: set[timedelta] = set()
    for candidate in group:
        since = candidate.event.time - EPOCH
        start = since - since % window.step
        while since < start + window.size:
            starts.add(start)
            start -= window.step
    yield from (between(start, start + window.size, group) for start in sorted(starts))


@contents.register
def _(window: CumulateWindow, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    starts = {c.event.time - EPOCH - (c.event.time - EPOCH) % window.size for c in group}
    for start in sorted(starts):
        for k in range(1, window.size // window.step + 1):
            end = start + k * window.step
            if any(start <= c.event.time - EPOCH < end for c in group):
                yield between(start, end, group)


def between(start: timedelta, end: timedelta, group: Sequence[Candidate]) -> Content:
    """The window `[start, end)`, both since the epoch, reported at its end."""
    members = tuple(c for c in group if start <= c.event.time - EPOCH < end)
    return Content(later(EPOCH, end), later(EPOCH, start), later(EPOCH, end), members, members[-1])


@contents.register
def _(window: SessionWindow, group: Sequence[Candidate], every: Sequence[Candidate]) -> Iterator[Content]:
    session: list[Candidate] = []
    for candidate in group:
        if session and candidate.event.time - session[-1].event.time >= window.gap:
            yield _session(session, window.gap)
            session = []
        session.append(candidate)
    if session:
        yield _session(session, window.gap)


def _session(session: Sequence[Candidate], gap: timedelta) -> Content:
    start, end = session[0].event.time, later(session[-1].event.time, gap)
    return Content(end, start, end, tuple(session), session[-1])
