"""A query that is asked once, of the states of others at a moment (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from kaicep.language.checks.query_compiler import check_document
from kaicep.language.nodes import Query, StateReference
from kaicep.language.nodes.query import Kind

from .admission import admitted, delivered
from .bounds import interval, within
from .candidates import candidates
from .contexts import Turn
from .contextual import Asked, lies, micro
from .documents import Document, event_of
from .evaluate import Oracle, Streams
from .events import Event
from .expressions import Candidate, Scope, item, ordered
from .moments import moments_in_contexts
from .partials import Moment, Partial, once
from .rows import Report, groups, listed, reports, row_of, standing, stands
from .states import first_undecided, held, partials, place_of
from .values import EPOCH, Value


class States:
    """The states of a document's queries at a moment.

    Args:
        oracle: of the project.
        queries: all but the one that is asked.
        streams: raw tuples; what is later than the moment has not come.
        at: the moment.
    """

    def __init__(self, oracle: Oracle, queries: Sequence[Query], streams: Streams, at: datetime) -> None:
        events = {n: list(admitted(a, _until(oracle, n, streams, at))) for n, a in oracle.annotations.items()}
        came = {n: delivered(a, _until(oracle, n, streams, at)) for n, a in oracle.annotations.items()}
        self.at, self.queries, self.knowledge = at, list(queries), oracle.knowledge
        self.document = Document(queries, oracle.knowledge, events, came, None)
        self.document.end = self.document.upto = at  # the streams go on
        self.histories = self.document.histories() if queries else {}
        answers = self.document.answers(self.histories, queries)
        self.events = {name: [e for e in own if e.time <= at] for name, own in answers.events.items()}
        self._known: dict[object, list[tuple[Moment, list[Partial]]]] = {}

    def _found(self, name: str, body: Query | None) -> list[tuple[Moment, list[Partial]]]:
        """The partial matches at each moment, which are found once, whatever is asked of them."""
        key = name, None if body is None else body.normal
        if key not in self._known:
            self._known[key] = [(moment, partials(moment)) for moment in self.moments(name, body)]
        return self._known[key]

    def moments(self, name: str, body: Query | None = None) -> list[Moment]:
        """What is known of a query: of one in contexts, for each window that goes on.

        Of a body it is what it would be, had the body been registered with the query.
        """
        registered = next(q for q in self.queries if q.name == name)
        query = body or registered
        return [] if self._has_ended(registered) else self._moments(registered, query)

    def _moments(self, registered: Query, query: Query) -> list[Moment]:
        now = self.document.nows[id(registered)]
        sets = [] if query.in_context is None else list(query.in_context.sets)
        history = {s: interval(self.document.sets[s].bounds, self.document.set_nows[s]) for s in sets}

        def inside(moment: datetime) -> bool:
            return within(query.bounds, moment, now)

        seen = {s.stream.name: [e for e in self.events[s.stream.name] if inside(e.time)] for s in query.sources}
        if query.in_context is None:
            chosen = {s.variable: candidates(s, seen[s.stream.name], self.knowledge) for s in query.sources}
            return [Moment(query, chosen, seen, inside, self.at)]
        asked = Asked(query, seen, self.histories, self.knowledge, inside, (None, None), history)
        return moments_in_contexts(asked, self.at)

    def _has_ended(self, query: Query) -> bool:
        """Whether LIMIT is reached by what nothing can come before any more."""
        if query.limit is None:
            return False
        first = [bound for moment in self._moments(query, query) if (bound := first_undecided(moment)) is not None]
        reported = [f.report for f in self.document.reports(query, self.events, self.histories)]
        known = [r for r in reported if r.time <= self.at and (not first or place_of(r) < min(first))]
        rows = [(row_of(query, r), r.group) for r in known]
        return len(listed(replace(query, output_rate=None), rows)) >= query.limit

    def held(self, reference: StateReference) -> list[Event]:
        """The distinct events of STATE, or of CONTEXTS, in total order."""
        if reference.contexts:
            return sorted(self._open_windows(reference.query), key=lambda e: e.order)
        found: dict[str, Event] = {}
        for moment, matches in self._found(reference.query, reference.body):
            for variable, own in held(moment, matches).items():
                if reference.variable in (None, variable):
                    found |= {c.event.id: c.event for c in own}
        return sorted(found.values(), key=lambda e: e.order)

    def _open_windows(self, name: str) -> Iterator[Event]:
        """The windows of queries and of the default that events after the moment may lie in, in changed partitions."""
        of, history, after = self.document.sets[name], self.histories[name], micro(self.at) + 1
        bounds = interval(of.bounds, self.document.set_nows[name])
        changed = dict.fromkeys(w.key for w in history.windows if w.since is None or w.since < after)
        contexts = [c.name for c in of.contexts if c.calendar is None]
        every = (history.window(context, key, after) for key in changed for context in contexts)
        opened = [w for w in every if w is not None and w.since is not None and lies(bounds, after)]
        for place, w in enumerate(opened):
            yield event_of(of, place, Turn(w.since or 0, w.context, "started", w.start, w.key))

    def partials(self, name: str) -> list[Partial]:
        """The partial matches of PARTIAL, each once."""
        return once(one for _, matches in self._found(name, None) for one in matches)


def _until(oracle: Oracle, name: str, streams: Streams, at: datetime) -> list[Mapping[str, object]]:
    """The tuples up to a moment."""
    annotation = oracle.annotations[name]
    return [raw for raw in streams.get(name, ()) if all(e.time <= at for e in delivered(annotation, [raw]))]


def ask(oracle: Oracle, text: str, streams: Streams, at: datetime) -> list[dict[str, Any]]:
    """The rows of the last query of a document, asked of the states of the others at a moment."""
    *queries, asked = (query for _, query in check_document(text, oracle.vocabulary, asked=True))
    return answer(States(oracle, queries, streams, at), asked)


def answer(states: States, asked: Query) -> list[dict[str, Any]]:
    """The rows of a query that is asked of states at their moment."""
    at, knowledge = states.at, states.knowledge
    events = {s.stream.name: states.held(r) for s, r in zip(asked.sources, asked.asked, strict=True)}
    chosen = {s.variable: candidates(s, events[s.stream.name], knowledge) for s in asked.sources}
    whole = asked.kind is Kind.AGGREGATION and not asked.windows
    found = over_all(asked, chosen, at) if whole else reports(asked, chosen, events, lambda _: True, None)
    stood = [r for r in found if stands(asked, r)] if whole else standing(asked, found)
    for order in reversed(asked.order_by):
        value = next(i.value for i in asked.items if i.name == order.item)
        stood.sort(key=partial(_sort_key, value=value), reverse=order.descending)
    rows = [row_of(asked, report) for report in stood][: asked.limit]
    hidden = {i.name for i in asked.items if i.hidden}
    return [{name: value for name, value in row.items() if name not in hidden} for row in rows]


def _sort_key(report: Report, value: Any) -> Any:
    return ordered(item(value, report.scope))


def over_all(query: Query, chosen: Mapping[str, list[Candidate]], at: datetime) -> list[Report]:
    """One report per group over all events, without GROUP BY exactly one; groups by their last events."""
    ((variable, every),) = chosen.items()
    found: list[tuple[tuple[Value | None, ...], list[Candidate]]] = list(groups(query, variable, every).items())
    if not found and not query.group_by:
        found = [((), [])]
    found.sort(key=lambda one: one[1][-1].event.order if one[1] else (EPOCH - timedelta(days=1), ""))
    return [
        Report(
            at,
            Scope({variable: own[-1]} if own else {}, {variable: tuple(own)}),
            own,
            {variable: tuple(own[-1:])},
            None,
            key,
        )
        for key, own in found
    ]
