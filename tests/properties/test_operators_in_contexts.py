"""Queries in contexts against the oracle's brute force on the events of each single window (LANGUAGE-2 §6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.cep import CONTEXT_WINDOWS, END_OF_TIME, NO_END, NO_START, Operator, build_operator
from kaicep.cep.query_operator import QueryOperator
from kaicep.expressions import micros
from kaicep.language.nodes import ContextWindow, Kind, Query
from oracle.events import Event
from oracle.expressions import Candidate, Scope, holds
from oracle.rows import (
    Report,
    aggregations,
    groups,
    listed,
    output_order,
    row_of,
    selections,
    standing,
)
from oracle.values import Iri, canonical
from support.cases import difference
from support.context_queries import NAMES, ContextSpan, candidates_in, in_contexts, told
from support.operators import START, Reading, at, compiled, without_companions
from support.sampling import some_of

HALF = 500_000
PATH_E = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor ; bd:hasLocation ?room}"
PATH_A = "PATH {?a evt:hasSource ?s . ?s bd:floor ?floor ; bd:hasLocation ?room}"
TWO = "FROM (?a, readings), (?b, readings)"
MIXED = "FROM (?a, readings), (?b, alarms)"
THREE = "FROM (?a, readings), (?b, alarms), (?c, readings)"
COUNTED = "WINDOW (?a, sliding, 2 events) WINDOW (?b, sliding, 3 events)"
JOINS = (
    f"SELECT ?a {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s)",
    f"SELECT ?a {TWO} JOIN (?a.n <= ?b.n) WINDOW (?a, ?b, 2s) LIMIT 4",
    f"SELECT ?a {TWO} {COUNTED} JOIN (?a.n <= ?b.n)",
    f"SELECT ?a {TWO} SEQ (?a -> ?b) WINDOW (?a, ?b, 3s)",
    f"SELECT ?a {TWO} SEQ (?a => ?b) WINDOW (?a, ?b, 3s)",
    f"SELECT ?a {THREE} SEQ (?a => NOT ?b => ?c) WINDOW (?a, ?c, 4s)",
    f"SELECT ?a {THREE} SEQ (?a -> ?c) WINDOW (?a, ?b, ?c, 4s)",
    f"SELECT ?a {MIXED} SEQ (NOT ?b, ?a) WINDOW (?a, ?b, 2s)",
    f"SELECT ?a {MIXED} SEQ (?a, NOT ?b) WINDOW (?a, ?b, 2s)",
    f"SELECT ?a {MIXED} SEQ (?a, NOT ?b FOR 1s) WINDOW (?a, ?b, 2s)",
    f"SELECT ?a {MIXED} SEQ (NOT ?b FOR 1s, ?a) WINDOW (?a, ?b, 2s)",
    f"SELECT ?a {MIXED} SEQ (?a => NOT ?b)",
    f"SELECT ?a {THREE} SEQ (?a AND ?b, ?c) WINDOW (?a, ?b, ?c, 4s)",
    f"SELECT ?a {THREE} SEQ (?a -> (?b OR ?c)) WINDOW (?a, ?b, ?c, 4s)",
    f"SELECT ?room {TWO} {PATH_A} SEQ (?a, ?b) WINDOW (?a, ?b, 3s)",
    f"SELECT DISTINCT ?a.n {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) OUTPUT LAST EVERY 2s",
    f"SELECT ?b.n {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) PARTITION BY n AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT ?a {TWO} SEQ (?a -> ?b) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT ?a {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) AFTER MATCH CONSUME",
    f"SELECT ?a {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP TO NEXT EVENT LIMIT 3",
)
RUNS = (
    f"SELECT COUNT(?b) AS c {TWO} FILTER (?a.ok) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?b) AS c {TWO} FILTER (?a.ok) SEQ (?a -> ?b{{1,; ->}}) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?b) AS c {TWO} FILTER (?a.ok) SEQ (?a => ?b{{1,; =>}}) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?b) AS c {TWO} SEQ (?a -> ?b{{1,3; ->}}~) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?a) AS c {MIXED} SEQ (?a{{1,; ->}}, NOT ?b FOR 1s) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?a) AS c {MIXED} SEQ (?a{{1,; ->}}, NOT ?b) WINDOW (?a, ?b, 2s)",
    f"SELECT COUNT(?a) AS c {MIXED} SEQ (NOT ?b FOR 1s, ?a{{1,; ->}}) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?a) AS c {MIXED} SEQ (?a{{1,2; ->}} => NOT ?b) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?b) AS c {TWO} SEQ (?a -> ?b{{1,; ->}} UNTIL (?b.n = 3)) WINDOW (?a, ?b, 3s)",
    f"SELECT COUNT(?b) AS c {THREE} SEQ (?a -> ?b{{1,; ->}}) WINDOW (?a, ?b, ?c, 3s)",
    f"SELECT COUNT(?c) AS c {THREE} SEQ (?a -> (?b, ?c){{1,; ->}}) WINDOW (?a, ?b, ?c, 5s)",
    f"SELECT COUNT(?b) AS c {TWO} SEQ (?a -> ?b{{1,; ->}}) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT COUNT(?b) AS c {TWO} SEQ (?a, ?b{{1,2}}) WINDOW (?a, ?b, 3s) AFTER MATCH CONSUME LIMIT 3",
)
_SOME = "COUNT(?e) AS c, SUM(?e.n) AS s, LAST(?e.note) AS l"
AGGREGATIONS = (
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, sliding, 2s)",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, sliding, 2 events) GROUP BY ?e.n",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, batch, 2s)",
    f"SELECT {_SOME} FROM (?e, readings) FILTER (?e.ok) WINDOW (?e, batch, 2s, START first) GROUP BY ?e.n",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, batch, 2 events)",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, hopping, 2s, 1s) GROUP BY ?e.n",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, cumulate, 2s, 1s)",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, session, 1s) LIMIT 3",
    f"SELECT COUNT(?e) AS c, ?room FROM (?e, readings) {PATH_E} WINDOW (?e, sliding, 2s) GROUP BY ?floor",
    f"SELECT {_SOME} FROM (?e, readings) WINDOW (?e, CONTEXT) HAVING COUNT(?e) > 1",
    f"SELECT {_SOME}, ?e.n FROM (?e, readings) FILTER (?e.ok) WINDOW (?e, CONTEXT) GROUP BY ?e.n",
)
SELECTIONS = (
    "SELECT ?e.n FROM (?e, readings) FILTER (?e.ok)",
    f"SELECT ?room FROM (?e, readings) {PATH_E} LIMIT 4",
    f"SELECT ?room, ?floor FROM (?e, readings) {PATH_E} AFTER MATCH SKIP PAST LAST EVENT",
    "SELECT DISTINCT ?e.n FROM (?e, readings) LIMIT 3",
    "SELECT ?e.n FROM (?e, readings) GROUP BY ?e.note OUTPUT LAST EVERY 2s",
)


def in_window_of_context(text: str) -> Query:
    """A query; `WINDOW (?e, CONTEXT)` is put in by hand."""
    query = compiled(text.replace("WINDOW (?e, CONTEXT)", "WINDOW (?e, batch, 1s)"))
    if "CONTEXT)" in text:
        (window,) = query.windows
        query = replace(query, windows=(ContextWindow("e", window.span),))
    return query


@st.composite
def streams(draw: st.DrawFn) -> list[Reading]:
    """Readings with equal time stamps, unbound keys, and events of several solutions."""
    found: list[Reading] = []
    for i in range(draw(st.integers(0, 14))):
        event = {
            "id": f"{draw(st.sampled_from('abc'))}{i}",
            "t": draw(st.integers(0, 16)) / 2,
            "stream": draw(st.sampled_from(("readings", "readings", "alarms"))),
            "sensor": draw(st.sampled_from(("s", "s", "t", None))),
            "n": draw(st.sampled_from((None, 0, 1, 3))),
            "note": draw(st.sampled_from((None, "low", "high"))),
            "ok": draw(st.booleans()),
        }
        solutions = draw(st.lists(st.tuples(st.sampled_from((1, 2)), st.sampled_from("pq")), max_size=2, unique=True))
        found += [{**event, "?floor": floor, "?room": room} for floor, room in solutions or [(1, "p")]]
    return found


@st.composite
def lasting(draw: st.DrawFn) -> list[ContextSpan]:
    """Windows of two contexts in two partitions, those of one context and partition one after the other."""
    spans: list[ContextSpan] = []
    for context in NAMES:
        for key in ("s", "t"):
            bounds = sorted(draw(st.lists(st.integers(-1, 17), max_size=5, unique=True)))
            for since, until in zip(bounds[::2], [*bounds[1::2], None], strict=False):
                number = draw(st.integers(-(2**62), 2**62).filter(lambda n: all(n != s.number for s in spans)))
                calendar, unbegun = draw(st.booleans()), not spans and draw(st.booleans())
                end = NO_END if until is None else micros(at(until / 2))
                begin = NO_START if unbegun else micros(at(since / 2))
                spans.append(ContextSpan(number, context, key, begin, end, calendar and end < NO_END, unbegun))
    return spans


@dataclass(frozen=True)
class Found:
    """A report in a window; `place`: that of the window among those that tie."""

    report: Report
    span: ContextSpan
    place: tuple[int, str, int]


def reference(query: Query, readings: Sequence[Reading], spans: Sequence[ContextSpan]) -> list[dict[str, Any]]:
    """What the oracle says on the events of each single window."""
    found = [
        Found(report, span, (NAMES.index(span.context), span.key, span.since))
        for span in spans
        for report in standing(query, list(of_window(query, readings, span)))
    ]
    found.sort(key=lambda one: (output_order(query, one.report), one.place))
    rows: dict[str, tuple[dict[str, Any], Any]] = {}
    for one in found:
        start = None if one.span.unbegun else moment(one.span.since)
        context = [one.span.context, canonical(start)] if query.kind is Kind.AGGREGATION else []
        row = row_of(query, one.report, context)
        known, _ = rows.setdefault(row["_id"], ({**row, "_context": []}, one.report.group))
        known["_context"] = sorted({*known["_context"], one.span.context})
    return listed(query, list(rows.values()))


def of_window(query: Query, readings: Sequence[Reading], span: ContextSpan) -> Iterator[Report]:
    """All that the query could report on the events of a window, and that the window's end leaves."""
    required = () if query.in_context is None else query.in_context.required
    plain = replace(query, in_context=None)
    inside = [r for r in readings if lies(r, span)]
    if query.kind is Kind.AGGREGATION:
        given = of_sources(query, inside)
        if isinstance(query.windows[0], ContextWindow):
            yield from whole(query, given["e"], span)
            return
        reports = aggregations(plain, given)
        yield from (r for r in reports if required or (r.window is not None and micros(r.window[1]) <= span.end))
        return
    seen = readings if required else inside
    events = {s.stream.name: [event_of(r) for r in once(seen) if r["stream"] == s.stream.name] for s in query.sources}
    for report in selections(plain, of_sources(query, seen), events, lambda _: True, None):
        named = [c for v in required for c in report.runs.get(v, ())]
        if required and named and all(holds_event(c.event, span) for c in named):
            yield report
        if not required and micros(report.time) <= span.until:
            yield report


def whole(query: Query, every: Sequence[Candidate], span: ContextSpan) -> Iterator[Report]:
    """The one report of WINDOW CONTEXT, by group."""
    if span.until < NO_END:
        start = None if span.unbegun else moment(span.since)
        for key, members in groups(query, "e", every).items():
            scope = Scope({"e": members[-1]}, {"e": tuple(members)})
            window: Any = (start, moment(span.end))
            yield Report(moment(span.end), scope, members, {"e": (members[-1],)}, window, key)


def moment(microseconds: int) -> datetime:
    return at((microseconds - micros(START)) / 1_000_000)


def lies(reading: Reading, span: ContextSpan) -> bool:
    return reading["sensor"] == span.key and span.since < micros(at(reading["t"])) <= span.until


def holds_event(event: Event, span: ContextSpan) -> bool:
    return event.values.get("sensor") == span.key and span.since < micros(event.time) <= span.until


def once(readings: Sequence[Reading]) -> list[Reading]:
    return list({r["id"]: r for r in readings}.values())


def event_of(reading: Reading) -> Event:
    return Event(
        reading["id"],
        at(reading["t"]),
        {n: reading[n] for n in ("sensor", "n", "note", "ok") if reading[n] is not None},
    )


def of_sources(query: Query, readings: Sequence[Reading]) -> dict[str, list[Candidate]]:
    """The candidates of each variable."""
    found = {}
    for source in query.sources:
        own: list[Candidate] = []
        for r in readings:
            if r["stream"] == source.stream.name:
                bindings: Any = {n: Iri(v) if isinstance(v := r[f"?{n}"], str) else v for n, _ in source.bindings}
                candidate = Candidate(event_of(r), bindings)
                scope = Scope({source.variable: candidate}, {})
                if candidate not in own and all(holds(f, scope) for f in source.filters):
                    own.append(candidate)
        found[source.variable] = sorted(own, key=lambda c: c.order)
    return found


class Feeding:
    """An operator that gets its candidates by time, however they are cut, and what is known of windows by then."""

    def __init__(self, query: Query, readings: Sequence[Reading], spans: Sequence[ContextSpan]) -> None:
        self.query, self.readings, self.spans = query, readings, spans
        self.operator: Operator = build_operator(query)
        self.rows: list[dict[str, Any]] = []
        self.passed = NO_START

    def until(self, half: int | None) -> None:
        """All that lies below so many half seconds; `None`: the end of time."""
        watermark = END_OF_TIME if half is None else at(half / 2)
        now = NO_END if half is None else micros(watermark)
        new = [r for r in self.readings if self.passed <= micros(at(r["t"])) < now]
        known = [s for s in self.spans if s.since < now and (s.until >= self.passed)]
        tables = candidates_in(self.query, new, known)
        tables[CONTEXT_WINDOWS] = told(known, watermark=now)
        self.rows += self.operator.process(tables, watermark).to_pylist()
        self.passed = now

    def stop_and_go_on(self) -> None:
        """The operator replaced by its snapshot."""
        state = self.operator.snapshot()
        self.operator = build_operator(self.query)
        self.operator.restore(state)


def answered(query: Query, readings: Sequence[Reading], spans: Sequence[ContextSpan]) -> list[dict[str, Any]]:
    feeding = Feeding(query, readings, spans)
    feeding.until(None)
    return feeding.rows


def check(query: Query, readings: list[Reading], spans: list[ContextSpan], data: st.DataObject) -> None:
    """The oracle's rows, however batches are cut, stopped and taken back."""
    whole_rows = answered(query, readings, spans)
    expected = reference(query, readings, spans)
    assert difference(without_companions(whole_rows), expected) is None
    assert [row["_id"] for row in whole_rows] == [row["_id"] for row in expected]
    feeding = Feeding(query, readings, spans)
    for cut in sorted(data.draw(st.lists(st.integers(0, 18), max_size=4, unique=True))):
        mark, before, passed = feeding.operator.mark(), list(feeding.rows), feeding.passed
        feeding.until(cut)
        match data.draw(st.sampled_from(("go on", "stop", "again"))):
            case "stop":
                feeding.stop_and_go_on()
            case "again":
                feeding.operator.rewind(mark)
                feeding.rows, feeding.passed = before, passed
                feeding.until(cut)
    feeding.until(None)
    assert feeding.rows == whole_rows


@pytest.mark.parametrize("text", JOINS + RUNS + AGGREGATIONS + SELECTIONS)
@settings(max_examples=2, deadline=None)
@given(readings=streams(), spans=lasting(), data=st.data())
def test_every_window_is_answered_by_itself(
    text: str, readings: list[Reading], spans: list[ContextSpan], data: st.DataObject
) -> None:
    check(in_contexts(in_window_of_context(text)), readings, spans, data)


@pytest.mark.parametrize("text", some_of([t for t in JOINS + RUNS if "CONSUME" not in t or "LIMIT" not in t], 12))
@settings(max_examples=2, deadline=None)
@given(readings=streams(), spans=lasting(), data=st.data(), both=st.booleans())
def test_for_asks_of_the_named_events_alone(
    text: str, readings: list[Reading], spans: list[ContextSpan], data: st.DataObject, both: bool
) -> None:
    query = compiled(text)
    positive = [s.variable for s in query.sources if f"NOT ?{s.variable}" not in text]
    check(in_contexts(query, required=positive if both else positive[-1:]), readings, spans, data)


@pytest.mark.parametrize("text", AGGREGATIONS + SELECTIONS)
@settings(max_examples=2, deadline=None)
@given(readings=streams(), spans=lasting(), data=st.data())
def test_for_lets_windows_of_aggregates_end_outside(
    text: str, readings: list[Reading], spans: list[ContextSpan], data: st.DataObject
) -> None:
    check(in_contexts(in_window_of_context(text), required=["e"]), readings, spans, data)


@pytest.mark.parametrize("text", some_of(JOINS + RUNS + AGGREGATIONS + SELECTIONS, 20))
@settings(max_examples=2, deadline=None)
@given(readings=streams(), spans=lasting())
def test_after_all_windows_an_operator_holds_nothing(
    text: str, readings: list[Reading], spans: list[ContextSpan]
) -> None:
    """But what DISTINCT and OUTPUT remember of rows."""
    query = in_contexts(in_window_of_context(text))
    ended = [replace(s, until=min(s.until, micros(at(9))), calendar=False) for s in spans]
    feeding = Feeding(query, readings, ended)
    for cut in (4, 8, 12, 40):
        feeding.until(cut)
    operator = feeding.operator
    assert isinstance(operator, QueryOperator)
    if operator.ended or operator.windows is None:
        return
    tables = {**operator.kernel.state().tables, **operator.windows.tables()}
    assert {name: table.height for name, table in tables.items() if name != "runs" and table.height} == {}
    assert operator.release.contiguity is None or not operator.release.contiguity.last.height
    assert not operator.waiting
