"""A document over whole streams: its queries one after the other, and the contexts that some of them change.

Contexts at a moment depend on events up to it and act on events after it. So go from one moment of change to the next:
with the windows that are known, ask every query; the earliest changes that were not made yet are made; ask again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Any

from kaicep.language.nodes import ActionKind, ContextSet, Kind, Query
from rdflib import XSD, URIRef

from .bounds import interval, now_of, within
from .candidates import candidates
from .contexts import Change, History, Turn
from .contextual import Asked, Found, found_in, intersection, key_of, micro, shape
from .events import DATATYPES, Event, term_of
from .expressions import item
from .knowledge import Knowledge, Triple
from .rows import listed, reports, row_of, standing
from .rules import Call, Order, alone, arguments, emitted, order_of, row_key
from .shedding import behind, is_looked_at
from .values import EPOCH, Value, canonical

Row = dict[str, Any]


@dataclass
class Answers:
    """What the queries of a document give, as far as windows are known.

    Attributes:
        rows: of each query.
        found: the reports behind the rows of each, by `_id`.
        events: of every stream, those of named queries and those that rules emit too.
        emitted: by stream, the events that rules emit.
        changes: what deriving queries and rules do to contexts, each with its order among those of its time.
        calls: what rules call.
    """

    rows: list[list[Row]] = field(default_factory=list)
    found: list[dict[str, Found]] = field(default_factory=list)
    events: dict[str, list[Event]] = field(default_factory=dict)
    emitted: dict[str, list[Event]] = field(default_factory=dict)
    changes: list[tuple[Order, Change]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)


class Document:
    """Checked queries over whole streams that end."""

    def __init__(
        self,
        queries: Sequence[Query],
        knowledge: Knowledge,
        events: Mapping[str, list[Event]],
        came: Mapping[str, list[Event]],
        registered_at: datetime | None,
        *,
        shares: Mapping[int, float] = MappingProxyType({}),
    ) -> None:
        self.shares = shares
        self.sampled = behind(queries, shares)
        self.queries = queries
        self.knowledge = knowledge
        self.streams = Answers(events=dict(events))
        self.came = came
        self.registered_at = registered_at
        self.memory: dict[object, Any] = {}
        self.upto: datetime | None = None
        self.end = max((e.time for own in came.values() for e in own), default=None)
        self.sets: dict[str, ContextSet] = {s.name: s for query in queries for s in query.context_sets}
        self.nows: dict[int, datetime | None] = {}
        self.set_nows: dict[str, datetime | None] = {}
        self._register()

    def _register(self) -> None:
        """What `now` is for each query, and for each set: that of the first query that speaks of it."""
        came = dict(self.came)
        for query in self.queries:
            behind = [e for name in {s.stream.name for s in query.sources} for e in came.get(name, [])]
            self.nows[id(query)] = now_of(behind, self.registered_at)
            for own in query.context_sets:
                self.set_nows.setdefault(own.name, self.nows[id(query)])
            changed = [self.sets[name].changes_stream for name in query.changed_sets]
            for stream in (*query.streams, *changed):
                came[stream] = [*came.get(stream, []), *behind]

    def answer(self) -> list[Row]:
        """The rows of the last query."""
        rows = self.answers(self.histories(), self.queries).rows[-1]
        share = self.sampled.get(id(self.queries[-1]))
        return rows if share is None else [{**row, "_sampled": share} for row in rows]

    def calls(self) -> list[Call]:
        """What the rules call, in order."""
        found = self.answers(self.histories(), self.queries).calls
        return sorted(found, key=lambda call: (call.time, call.order))

    def histories(self) -> dict[str, History]:
        """Every set with all its changes."""
        histories = {name: History(own) for name, own in self.sets.items()}
        settled: list[Change] = []
        while self.sets:
            changes = self.changes(self.answers(histories, self.deriving))
            assert changes[: len(settled)] == settled, "what was decided later changed what was before"
            if len(changes) == len(settled):
                break
            moment = changes[len(settled)].time
            histories, own = self._changed(histories, moment)
            settled += own
        return histories

    def _changed(self, before: Mapping[str, History], moment: int) -> tuple[dict[str, History], list[Change]]:
        """The sets with the changes of one moment, which who reads CONTEXTS may follow with more of that moment."""
        own: list[Change] = []
        while True:
            histories = {name: history.copy() for name, history in before.items()}
            for change in own:
                histories[change.set].make(change)
            now = [change for change in self.changes(self.answers(histories, self.deriving)) if change.time == moment]
            if now == own:
                return histories, own
            own = now

    def changes(self, answers: Answers) -> list[Change]:
        """What rows do, by time, then the order of the text or of rules, then that of rows."""
        found = sorted(answers.changes, key=lambda one: (one[1].time, one[0]))
        return [change for _, change in found]

    @cached_property
    def deriving(self) -> list[Query]:
        """The queries and rules that change contexts, and those that they read."""
        wanted: set[str] = set()
        found: list[Query] = []
        for _ in self.queries:
            found = [q for q in self.queries if q.changed_sets or wanted.intersection(q.streams)]
            wanted |= {s.stream.name for query in found for s in query.sources}
        return found

    def answers(self, histories: Mapping[str, History], queries: Sequence[Query]) -> Answers:
        """Some queries asked in turn, until rules emit what was taken for emitted."""
        emitted: dict[str, list[Event]] = {}
        while True:
            answers = self._answers(histories, queries, emitted)
            if answers.emitted == emitted:
                return answers
            emitted = answers.emitted

    def _answers(
        self,
        histories: Mapping[str, History],
        queries: Sequence[Query],
        emitted: Mapping[str, list[Event]],
    ) -> Answers:
        """Some queries asked in turn, with events that rules have emitted."""
        known = self.streams.events
        streams = {**dict.fromkeys(name for query in queries if query.rule for name in query.streams), **known}
        answers = Answers(events={name: [*known.get(name, []), *emitted.get(name, [])] for name in streams})
        for query in queries:
            for source in query.sources:
                if source.stream.name not in answers.events:
                    answers.events[source.stream.name] = self._turns(source.stream.name, histories)
            found = self.reports(query, answers.events, histories)
            rows = {id(one): row_of(query, one.report, context_of(query, one)) for one in found}
            for one in found:
                if query.in_context is not None:
                    rows[id(one)]["_context"] = sorted({w.context for w in one.windows})
            given = listed(query, [(rows[id(one)], one.report.group) for one in found], self.upto)
            answers.rows.append(given)
            answers.found.append({rows[id(one)]["_id"]: one for one in reversed(found)})
            if query.name is not None:
                answers.events[query.name] = [derived(query, row, self.knowledge) for row in given]
            for row in given:
                self._act(answers, query, row, answers.found[-1][row["_id"]])
        return answers

    def _act(self, answers: Answers, query: Query, row: Row, found: Found) -> None:
        """What a deriving query or a rule does for a row."""
        if query.rule is None:
            change = change_of(query, row, found)
            if change is not None:
                answers.changes.append(((False, self.queries.index(query), "", 0, 0, 0), change))
            return
        (source,) = query.sources
        name = source.stream.name
        ordered = any(name == other.name for other in self.queries)
        key = row_key(query, found, answers.events[name], ordered=ordered)
        for place, view in alone(query):
            change = change_of(view, row, found)
            if change is not None and within(self.sets[change.set].bounds, row["_time"], self.set_nows[change.set]):
                answers.changes.append((self._order(query, key, place), change))
        for place, action in enumerate(query.rule.actions):
            id_, now = f"{row['_id']}.{place}", self.nows[id(query)]
            if action.kind is ActionKind.CALL and (now is None or row["_time"] >= now):
                said = arguments(action, found)
                if id(query) in self.sampled:
                    said["_sampled"] = self.sampled[id(query)]
                order = self._order(query, key, place)
                answers.calls.append(Call(row["_time"], order, query.rule.name, id_, action.target, said))
            if action.kind is ActionKind.EMIT and self.end is not None and row["_time"] <= self.end:
                readers = [s.stream for q in self.queries for s in q.sources if s.stream.name == action.target]
                for stream in readers[-1:]:
                    event = emitted(action, id_, found, stream, self.knowledge)
                    answers.emitted.setdefault(action.target, []).append(event)

    def _order(self, query: Query, row: str, action: int) -> Order:
        return order_of(query, self.queries, list(self.came), row, action)

    def reports(self, query: Query, events: Mapping[str, list[Event]], histories: Mapping[str, History]) -> list[Found]:
        """The reports of one query that stand."""
        sets = [] if query.change is None else [query.change.context.set]
        now = self.nows[id(query)]
        bounds = [(query.bounds, now), *((self.sets[name].bounds, self.set_nows[name]) for name in sets)]
        names = {s.stream.name for s in query.sources}

        def inside(moment: datetime) -> bool:
            return all(within(b, moment, of) for b, of in bounds)

        seen = {name: [e for e in events[name] if inside(e.time)] for name in names}
        if id(query) in self.shares:
            sources = {s.stream.name for s in query.sources if s.stream.event_type is not None}
            for name in sources:
                seen[name] = [e for e in seen[name] if is_looked_at(e.id, self.shares[id(query)])]
        if query.in_context is None:
            return self._plain(query, seen, inside)
        history = {name: interval(self.sets[name].bounds, self.set_nows[name]) for name in query.in_context.sets}
        own = intersection([interval(of, moment) for of, moment in bounds])
        return found_in(Asked(query, seen, histories, self.knowledge, inside, own, history, self.memory, self.end))

    def _plain(self, query: Query, seen: Mapping[str, list[Event]], inside: Callable[[datetime], bool]) -> list[Found]:
        """The reports of a query that is in no context."""
        key = (query.normal, "", *((name, *map(shape, own)) for name, own in seen.items()))
        if key not in self.memory:
            selected = {s.variable: candidates(s, seen[s.stream.name], self.knowledge) for s in query.sources}
            self.memory[key] = standing(query, reports(query, selected, seen, inside, self.end))
        return [Found(report, ()) for report in self.memory[key]]

    def _turns(self, stream: str, histories: Mapping[str, History]) -> list[Event]:
        """The stream of a set's changes."""
        name = stream.removeprefix("CONTEXTS(").removesuffix(")")
        turns = histories[name].turns
        places = [sum(other.time == turn.time for other in turns[:place]) for place, turn in enumerate(turns)]
        return [event_of(self.sets[name], place, turn) for place, turn in zip(places, turns, strict=True)]


def context_of(query: Query, found: Found) -> list[str]:
    """What tells apart the rows of an aggregate in two contexts."""
    if query.kind is not Kind.AGGREGATION or query.in_context is None:
        return []
    (window,) = found.windows
    return [window.context, canonical(window.start)]


def change_of(query: Query, row: Row, found: Found) -> Change | None:
    """What a row of a deriving query does; nothing with an unbound key."""
    if query.change is None:
        return None
    scope = found.report.scope
    values: dict[str, Value | None] = {i.name: item(i.value, scope) for i in query.items}
    key = key_of([values[name] for name in query.change.keys])
    if key is None:
        return None
    shown = {i.name: values[i.name] for i in query.items if not i.hidden}
    change = query.change
    began = tuple(replace(window, until=None, end=None) for window in found.windows)
    return Change(change.context.set, change.kind, change.context.context, key, micro(row["_time"]), shown, began)


def event_of(of: ContextSet, place: int, turn: Turn) -> Event:
    """A row of CONTEXTS as an event; its id tells which of those of its time it is, so that their order is that."""
    since = None if turn.since is None else EPOCH + timedelta(microseconds=turn.since)
    said: dict[str, Value | None] = {"context": turn.context, "change": turn.change, "since": since}
    said |= {re.split("[#/:]", key.name)[-1]: value for key, value in zip(of.keys, turn.key, strict=True)}
    values = {name: value for name, value in said.items() if value is not None}
    return Event(
        f"urn:kaicep:event:CONTEXTS%28{of.name}%29/{place:06}{turn.time:032x}",
        EPOCH + timedelta(microseconds=turn.time),
        values,
    )


def derived(query: Query, row: Mapping[str, Any], knowledge: Knowledge) -> Event:
    """The event that a row is, in the stream that has the query's name."""
    name, identity = query.output.name, f"urn:kaicep:event:{query.output.name}/{row['_id']}"
    values: dict[str, Value] = {i.name: row[i.name] for i in query.items if row[i.name] is not None}
    triples: set[Triple] = set()
    for attribute in query.output.attributes:
        if attribute.name in values:
            prop = attribute.property or f"urn:kaicep:attribute:{name}:{attribute.name}"
            link = values.get(prop) if attribute.individual else None
            datatype = DATATYPES.get(attribute.type, XSD.string)
            term = URIRef(str(link)) if link else term_of(values[attribute.name], attribute.type, datatype)
            triples |= {(URIRef(identity), URIRef(p), term) for p in knowledge.all_properties(prop)}
    return Event(identity, row["_time"], values, frozenset(triples))
