"""Queries in contexts: what they give on the events of each single window, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from kaicep.language.nodes.context import ContextReference
from kaicep.language.nodes.pattern import ContextWindow
from kaicep.language.nodes.query import Kind, Query, Source
from kaicep.language.nodes.types import ValueType

from .candidates import distinct_bindings
from .contexts import History, Key, Window
from .events import Event
from .expressions import Candidate, Scope, holds, item
from .knowledge import Knowledge
from .rows import Report, groups, is_timed, output_order, reports, standing
from .values import EPOCH, Value, shown

Interval = tuple[int | None, int | None]
"""The microseconds from and to, both in; `None`: without an end."""


@dataclass(frozen=True)
class Found:
    """A report, and the windows in which it lies, in the order of the contexts after IN CONTEXT."""

    report: Report
    windows: tuple[Window, ...]


@dataclass(frozen=True)
class Asked:
    """A query in contexts.

    Attributes:
        query: the query.
        events: all events of the streams in FROM that lie within the bounds.
        histories: the sets, by name.
        knowledge: the knowledge base.
        within: whether a moment lies within the bounds.
        bounds: of the query; of a query of one set narrowed to those of the set.
        history: the bounds of each set.
        memory: what was found before, for it takes long: queries are asked again and again of the same events.
        end: the greatest time stamp of all sources.
    """

    query: Query
    events: Mapping[str, Sequence[Event]]
    histories: Mapping[str, History]
    knowledge: Knowledge
    within: Callable[[datetime], bool]
    bounds: Interval
    history: Mapping[str, Interval]
    memory: dict[object, Any] = field(default_factory=dict)
    end: datetime | None = None

    def reports(
        self, candidates: Mapping[str, Sequence[Candidate]], events: Mapping[str, Sequence[Event]]
    ) -> list[Report]:
        """All that the query could report of these, before HAVING, AFTER MATCH, DISTINCT and LIMIT."""
        chosen = tuple(
            (v, *((shape(c.event), tuple(c.bindings.items())) for c in own)) for v, own in candidates.items()
        )
        key = (self.query.normal, self.bounds, chosen, tuple((name, *map(shape, own)) for name, own in events.items()))
        if key not in self.memory:
            self.memory[key] = reports(self.query, candidates, events, self.within, self.end)
        found: list[Report] = self.memory[key]
        return found

    def solutions(self, source: Source, event: Event) -> list[dict[str, Value | None]]:
        """The solutions of the PATHs of a variable for an event."""
        key = (self.query.normal, source.variable, shape(event))
        if key not in self.memory:
            self.memory[key] = distinct_bindings(source, event, self.knowledge)
        found: list[dict[str, Value | None]] = self.memory[key]
        return found

    def of(self, name: str) -> Asked:
        """The same in the windows of one set, before and behind whose bounds none of its contexts holds."""
        interval = self.history[name]
        bounds = intersection([self.bounds, interval])
        if self.required:  # what FOR does not name may lie outside
            return replace(self, bounds=bounds)
        seen = {stream: [e for e in own if lies(interval, micro(e.time))] for stream, own in self.events.items()}
        return replace(
            self,
            events=seen,
            bounds=bounds,
            within=lambda moment: self.within(moment) and lies(interval, micro(moment)),
        )

    @property
    def references(self) -> tuple[ContextReference, ...]:
        """The contexts after IN CONTEXT."""
        assert self.query.in_context is not None
        return self.query.in_context.contexts

    @property
    def required(self) -> tuple[str, ...]:
        """The variables of FOR."""
        assert self.query.in_context is not None
        return self.query.in_context.required


def found_in(asked: Asked) -> list[Found]:
    """All reports of a query in contexts that stand, in output order, each once."""
    query = asked.query
    of_set = {name: asked.of(name) for name in asked.history}
    every = [(w, report) for w in windows(asked) for report in standing(query, of_window(of_set[w.set], w))]
    if query.kind is Kind.AGGREGATION:
        every.sort(key=lambda one: (output_order(query, one[1]), rank(asked, one[0])))
        return [Found(report, (window,)) for window, report in every]
    every.sort(key=lambda one: output_order(query, one[1]))
    merged: dict[str, list[tuple[Window, Report]]] = {}
    for window, report in every:
        merged.setdefault(told_apart(query, report), []).append((window, report))
    return [
        Found(same[0][1], tuple(sorted(dict.fromkeys(w for w, _ in same), key=lambda w: rank(asked, w))))
        for same in merged.values()
    ]


def told_apart(query: Query, report: Report) -> str:
    """What is the same of two matches that are one row: the events, and what they select of the windows."""
    when = report.time if is_timed(query) else None
    return repr(
        (when, output_order(query, report)[1:], [(v, [c.event.id for c in run]) for v, run in report.runs.items()])
    )


def rank(asked: Asked, window: Window) -> tuple[object, ...]:
    """Where a window comes among rows that tie: by the names after IN CONTEXT, the key, the start."""
    names = [(r.set, r.context) for r in asked.references]
    key = [(0,) if v is None else (1, v) for v in window.key]
    return names.index((window.set, window.context)), key, -1 if window.since is None else window.since


def windows(asked: Asked) -> list[Window]:
    """Every window in which an event of the query lies that has to lie in one."""
    found: dict[Window, None] = {}
    for source in asked.query.sources:
        if not asked.required or source.variable in asked.required:
            for candidate in unfiltered(asked, source):
                for reference in asked.references:
                    key = placed(asked, source.variable, reference.set, candidate)
                    moment = micro(candidate.event.time)
                    if key is not None and lies(asked.history[reference.set], moment):
                        window = asked.histories[reference.set].window(reference.context, key, moment)
                        found |= {window: None} if window is not None else {}
    return list(found)


def unfiltered(asked: Asked, source: Source) -> Iterator[Candidate]:
    """Every event of a variable once per solution of its PATHs; those of which the PATHs do not hold are none."""
    for event in asked.events[source.stream.name]:
        for bindings in asked.solutions(source, event):
            yield Candidate(event, {name: v for name, v in bindings.items() if "." not in name})


def placed(asked: Asked, variable: str, of_set: str, candidate: Candidate) -> Key | None:
    """The partition of a set that an event belongs to as the event of a variable; `None`: a key is unbound."""
    assert asked.query.in_context is not None
    (placement,) = [p for p in asked.query.in_context.placements if (p.variable, p.set) == (variable, of_set)]
    scope = Scope({variable: candidate}, {variable: (candidate,)})
    return key_of([item(expression, scope) for expression in placement.keys])


def key_of(values: Sequence[Value | None]) -> Key | None:
    """Values as a partition, an individual by its IRI."""
    return None if None in values else tuple(shown(v) for v in values)  # type: ignore[misc]  # none of them is a list


def of_window(asked: Asked, window: Window) -> list[Report]:
    """What the query could report of one window."""
    return of_required(asked, window) if asked.required else of_events(asked, window)


def of_events(asked: Asked, window: Window) -> list[Report]:
    """What the query would give on the events of the window alone, but for what the window's end leaves unfinished."""
    query = asked.query
    lying = {s.variable: [c for c in unfiltered(asked, s) if lies_in(asked, s, window, c)] for s in query.sources}
    candidates = {s.variable: selected(asked, s, window, lying[s.variable]) for s in query.sources}
    of_stream: dict[str, dict[str, Event]] = {}
    for source in query.sources:
        events = of_stream.setdefault(source.stream.name, {})
        events |= {c.event.id: c.event for c in lying[source.variable]}
    if query.kind is Kind.AGGREGATION:
        found = list(aggregated(asked, window, candidates))
        return [r for r in found if r.window is None or window.end is None or micro(r.window[1]) <= window.end]
    found = asked.reports(candidates, {name: list(own.values()) for name, own in of_stream.items()})
    return [r for r in found if window.until is None or micro(r.time) <= window.until]


def of_required(asked: Asked, window: Window) -> list[Report]:
    """What the query would give without contexts, if all events of the variables of FOR lie in the window."""
    query = asked.query
    if query.kind is Kind.AGGREGATION:
        (source,) = query.sources
        lying = [c for c in unfiltered(asked, source) if lies_in(asked, source, window, c)]
        return list(aggregated(asked, window, {source.variable: selected(asked, source, window, lying)}))
    candidates = {s.variable: selected(asked, s, window, list(unfiltered(asked, s))) for s in query.sources}
    sources = {s.variable: s for s in query.sources}
    found = []
    for report in asked.reports(candidates, asked.events):
        own = [(v, c) for v in asked.required for c in report.runs.get(v, ())]
        if own and all(lies_unbound(asked, sources[v], window, c) for v, c in own):
            found.append(report)
    return found


def lies_unbound(asked: Asked, source: Source, window: Window, candidate: Candidate) -> bool:
    """Whether a candidate that has lost the semantic variables which only its partition needs lies in a window."""
    whole = [
        c
        for c in unfiltered(asked, source)
        if c.event.id == candidate.event.id
        and all(candidate.bindings[name] == c.bindings[name] for name in candidate.bindings if "." not in name)
    ]
    return any(lies_in(asked, source, window, c) for c in whole)


def lies_in(asked: Asked, source: Source, window: Window, candidate: Candidate) -> bool:
    """Whether an event lies in a window."""
    moment = micro(candidate.event.time)
    return (
        window.holds(moment)
        and lies(asked.history[window.set], moment)
        and placed(asked, source.variable, window.set, candidate) == window.key
    )


def selected(asked: Asked, source: Source, window: Window, events: Sequence[Candidate]) -> list[Candidate]:
    """Those of a variable's events that its FILTERs let through, with what the query says of the window."""
    found: list[Candidate] = []
    for event in events:
        bindings = {**event.bindings, **attributes(source, window, asked.references)}
        candidate = Candidate(event.event, bindings)
        scope = Scope({source.variable: candidate}, {source.variable: (candidate,)})
        if all(holds(f, scope) for f in source.filters):
            used = Candidate(event.event, {n: v for n, v in bindings.items() if f"?{n}" in source.columns})
            found += [used] if used not in found else []
    return sorted(found, key=lambda c: c.order)


def attributes(source: Source, window: Window, references: Sequence[ContextReference]) -> dict[str, Value | None]:
    """`?acc.name` and `?acc._since` for every use, unbound where the window is one of another context."""
    since = None if window.start is None else EPOCH + timedelta(microseconds=window.start)
    said = {**window.values, "_since": since}
    own = {r.variable for r in references if (r.set, r.context) == (window.set, window.context)}
    found: dict[str, Value | None] = {}
    for name, value_type in source.window_attributes:
        variable, _, attribute = name.partition(".")
        found[name] = _typed(said.get(attribute), value_type) if variable in own else None
    return found


def _typed(value: Value | None, value_type: ValueType) -> Value | None:
    """An attribute that some queries give as an integer and others as a double is a double."""
    return float(value) if value_type is ValueType.DOUBLE and isinstance(value, int) else value


def aggregated(asked: Asked, window: Window, candidates: Mapping[str, Sequence[Candidate]]) -> Iterator[Report]:
    """The reports of aggregates."""
    query = asked.query
    if not any(isinstance(w, ContextWindow) for w in query.windows):
        yield from asked.reports(candidates, {})
        return
    if window.end is None or is_cut(asked, window):
        return
    ((variable, every),) = candidates.items()
    start = None if window.start is None else EPOCH + timedelta(microseconds=window.start)
    end = EPOCH + timedelta(microseconds=window.end)
    for key, members in groups(query, variable, every).items():
        last = members[-1]
        scope = Scope({variable: last}, {variable: tuple(members)})
        yield Report(end, scope, members, {variable: (last,)}, (start, end), key)


def is_cut(asked: Asked, window: Window) -> bool:
    """Whether WITHIN cuts a window: the query's, or, but for a window of the default that begins with it, the set's."""
    lower, upper = asked.bounds
    begin = asked.history[window.set][0] if window.since is None else window.since + 1
    before = lower is not None and (begin is None or begin < lower)
    return before or (upper is not None and (window.until is None or upper < window.until))


def shape(event: Event) -> tuple[object, ...]:
    """What an event is, as a key."""
    return event.id, event.time, *event.values.items()


def intersection(intervals: Sequence[Interval]) -> Interval:
    """What lies in all."""
    lower = [first for first, _ in intervals if first is not None]
    upper = [last for _, last in intervals if last is not None]
    return max(lower, default=None), min(upper, default=None)


def lies(interval: Interval, moment: int) -> bool:
    """Whether a moment lies in an interval."""
    lower, upper = interval
    return (lower is None or lower <= moment) and (upper is None or moment <= upper)


def micro(moment: datetime) -> int:
    """Microseconds since the epoch."""
    return (moment - EPOCH) // timedelta(microseconds=1)
