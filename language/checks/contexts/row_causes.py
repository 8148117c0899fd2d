"""What decides about rows at their very time, and whether rules and deriving queries go round in circles by it.

A circle is fine where time goes on in it. That of a context window has gone on when it is reported, and what is done
then neither undoes its end nor reaches into it; so a circle through the ends of windows is fine as long as all else in
it only adds rows: then what happens at one moment comes to an end.
Source: LANGUAGE-2 §8, Loops; monotonic queries as in Ameloot, Neven and Van den Bussche (JACM 2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from ...nodes import (
    BatchWindow,
    ContextWindow,
    CorrelationWindow,
    CumulateWindow,
    Element,
    HoppingWindow,
    Kind,
    Link,
    Negation,
    Pattern,
    Sequence,
    SessionWindow,
    StreamType,
    Timer,
    Vocabulary,
    Window,
    ends_of,
    events_of,
    may_be_empty,
    walk_pattern,
)
from ..query_draft import Draft

Streams = Mapping[str, StreamType]
"""Those of event variables."""


@dataclass(frozen=True, slots=True)
class RowCauses:
    """What decides about rows at their very `_time`; see `StreamType`."""

    depends_on: frozenset[str]
    nonmonotonic: frozenset[str]


def row_causes(draft: Draft, streams: Streams) -> RowCauses:
    """What decides about a query's rows: sets by their changes or by the ends of windows, streams by their events.

    Args:
        draft: the query.
        streams: those of its variables that are asked about.
    """
    earlier = _earlier(draft)
    together = [stream for variable, stream in streams.items() if variable not in earlier]
    found = frozenset(events_of(stream.name) for stream in together).union(*(s.depends_on for s in together))
    found |= {name for stream in streams.values() for name in stream.depends_on if _is_set(name)}
    if draft.in_context is not None and any(isinstance(window, ContextWindow) for window in draft.windows):
        ends = frozenset(map(ends_of, draft.in_context.sets))
        return RowCauses(found | ends, found)
    below = frozenset[str]().union(*(stream.nonmonotonic for stream in streams.values()))
    return RowCauses(found, found & below if _only_adds(draft) else found)


def with_causes(output: StreamType, draft: Draft, streams: Streams) -> StreamType:
    """The stream of a query's rows, with what decides about them."""
    causes = row_causes(draft, streams)
    return replace(output, depends_on=causes.depends_on, nonmonotonic=causes.nonmonotonic)


def _earlier(draft: Draft) -> frozenset[str]:
    """The variables whose events are of earlier times than the row; LANGUAGE-2 §8, Loops."""
    if any(_lets_time_go_on(window) for window in draft.windows):
        return frozenset(draft.variables)
    if not isinstance(draft.pattern, Sequence):
        return frozenset()
    parts = draft.pattern.parts
    last = next((n for n in reversed(range(len(parts))) if _is_due(parts[n]) or not may_be_empty(parts[n])), 0)
    before = parts[: last + 1] if _is_due(parts[last]) else parts[:last]
    named = {one.variable for part in before for one in walk_pattern(part) if isinstance(one, Element)}
    absent = {one.variable for part in parts[:last] for one in walk_pattern(part) if isinstance(one, Negation)}
    return frozenset(named | absent)


def _lets_time_go_on(window: Window) -> bool:
    """Whether a row is of a time after all events of its window: what is batched by time."""
    if isinstance(window, BatchWindow):
        return isinstance(window.extent, timedelta)
    if isinstance(window, HoppingWindow | CumulateWindow):
        return isinstance(window.size, timedelta)
    return isinstance(window, SessionWindow)


def _is_due(part: Pattern) -> bool:
    """Whether it is over at a time after the events before it: a timer, or a last NOT."""
    return isinstance(part, Timer | Negation)


def _only_adds(draft: Draft) -> bool:
    """Whether more events can only bring more rows: none is taken away, and none becomes another."""
    tree = draft.tree
    chosen = (tree.distinct, tree.having, tree.policy, tree.after_match, tree.limit, tree.output, tree.partition_by)
    if draft.kind is Kind.AGGREGATION or any(chosen):
        return False
    parts = () if draft.pattern is None else walk_pattern(draft.pattern)
    plain = all(isinstance(window, CorrelationWindow) for window in draft.windows)
    return plain and not draft.quantified and all(map(_is_plain, parts))


def _is_plain(part: Pattern) -> bool:
    if isinstance(part, Sequence):
        return set(part.links) <= {Link.ANY}
    return not isinstance(part, Negation | Timer)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where one is on the way back from a row: through the ends of windows or not, and by more rows alone or not."""

    name: str
    by_ends: bool
    only_adds: bool

    @property
    def is_harmless(self) -> bool:
        """Whether a circle that closes here is none."""
        return self.by_ends and self.only_adds


def way_back(known: Vocabulary, causes: RowCauses, goal: str) -> list[str] | None:
    """The sets and streams between rows and a set or stream by which they are decided about at their very time.

    Args:
        known: the sets and streams.
        causes: of the rows.
        goal: the set, or what `events_of` calls the events of a stream, that the rows bring about.

    Returns:
        `None`: there is no way, or time goes on in it.
    """
    start = _Place(goal, by_ends=False, only_adds=True)
    found: dict[_Place, list[str]] = {place: [] for place in _behind(start, causes)}
    waiting = list(found)
    while waiting:
        place = waiting.pop(0)
        if place.name == goal:
            if not place.is_harmless:
                return found[place]
            continue
        for other in _behind(place, _causes(known, place.name)):
            if other not in found:
                found[other] = [*found[place], place.name]
                waiting.append(other)
    return None


def _behind(place: _Place, causes: RowCauses) -> Iterator[_Place]:
    for name in sorted(causes.depends_on):
        adds = place.only_adds and name not in causes.nonmonotonic
        ends = name.startswith("ENDS(")
        yield _Place(name[5:-1] if ends else name, place.by_ends or ends, adds)


def _causes(known: Vocabulary, name: str) -> RowCauses:
    """What decides about the changes of a set, or about the events of a stream."""
    found = known.contexts.get(name) if _is_set(name) else known.streams.get(name[7:-1])
    return RowCauses(frozenset(), frozenset()) if found is None else RowCauses(found.depends_on, found.nonmonotonic)


def _is_set(name: str) -> bool:
    """Whether a set is meant by its changes."""
    return not name.startswith(("EVENTS(", "ENDS("))
