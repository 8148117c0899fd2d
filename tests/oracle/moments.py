"""What is known at a moment of a query in contexts, window by window (LANGUAGE-2 §6, §9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from kaicep.language.nodes.query import Kind

from .contexts import Window
from .contextual import Asked, lies, lies_in, lies_unbound, micro, selected, unfiltered, windows
from .events import Event
from .expressions import Candidate
from .partials import Moment, Place

NOWHERE = Window("", "", (), None, None, None, None)
"""In place of a window that is still to come."""


def moments_in_contexts(asked: Asked, at: datetime) -> list[Moment]:
    """Of each window that events after a moment may lie in; with FOR, of each that events of its variables lie in."""
    query, every = asked.query, windows(asked)
    if not asked.required:
        return [_of_window(asked, w, at) for w in every if _is_open(asked, w, at)]
    if query.kind is Kind.AGGREGATION:
        return [_of_aggregate(asked, w, at) for w in every]
    return [_beside_others(asked, w, at) for w in (*every, None)]


def _is_open(asked: Asked, window: Window, at: datetime) -> bool:
    """Whether an event right after the moment may lie in a window."""
    return (window.until is None or window.until > micro(at)) and lies(asked.history[window.set], micro(at) + 1)


def _of_window(asked: Asked, window: Window, at: datetime) -> Moment:
    """All that is looked at lies in the window."""
    query = asked.query
    lying = {s.variable: [c for c in unfiltered(asked, s) if lies_in(asked, s, window, c)] for s in query.sources}
    chosen = {s.variable: selected(asked, s, window, lying[s.variable]) for s in query.sources}
    of_stream: dict[str, dict[str, Event]] = {}
    for s in query.sources:
        of_stream.setdefault(s.stream.name, {}).update({c.event.id: c.event for c in lying[s.variable]})

    def within(moment: datetime) -> bool:
        inside = window.until is None or micro(moment) <= window.until
        return inside and asked.within(moment) and lies(asked.history[window.set], micro(moment))

    return Moment(query, chosen, {stream: list(own.values()) for stream, own in of_stream.items()}, within, at)


def _of_aggregate(asked: Asked, window: Window, at: datetime) -> Moment:
    """The candidates lie in the window, and what is reported of them may lie behind it."""
    (source,) = asked.query.sources
    lying = [c for c in unfiltered(asked, source) if lies_in(asked, source, window, c)]
    chosen = {source.variable: selected(asked, source, window, lying)}
    place = Place(lambda _v, _c: True, _is_open(asked, window, at))
    return Moment(asked.query, chosen, {}, asked.within, at, place=place)


def _beside_others(asked: Asked, window: Window | None, at: datetime) -> Moment:
    """The events of FOR's variables lie in the window, all else anywhere."""
    query, sources = asked.query, {s.variable: s for s in asked.query.sources}
    chosen: Mapping[str, Sequence[Candidate]] = {
        v: []
        if window is None and s.window_attributes
        else selected(asked, s, window or NOWHERE, list(unfiltered(asked, s)))
        for v, s in sources.items()
    }
    if window is None:
        return Moment(query, chosen, asked.events, asked.within, at, asked.required)

    def holds(variable: str, candidate: Candidate) -> bool:
        return lies_unbound(asked, sources[variable], window, candidate)

    place = Place(holds, _is_open(asked, window, at))
    return Moment(query, chosen, asked.events, asked.within, at, asked.required, place)
