"""The plan of a query, as its text says it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from kaicep.explain import PlanNode, plan_text
from kaicep.explain.plans import describe_query
from kaicep.expressions import SIGNATURES
from kaicep.language import Span
from kaicep.language.checks import compile_document
from kaicep.language.nodes.pattern import (
    Alternative,
    BatchWindow,
    Conjunction,
    CumulateWindow,
    Element,
    Group,
    HoppingWindow,
    Link,
    Negation,
    Pattern,
    Quantifier,
    Sequence,
    SessionWindow,
    SlidingWindow,
    Timer,
    Window,
)
from kaicep.language.nodes.query import Query
from kaicep.language.nodes.vocabulary import Vocabulary
from kaicep.planner import resolve_bounds
from support.archives import STREAM_TYPE

VOCABULARY = Vocabulary({"airflowReport": STREAM_TYPE}, SIGNATURES, sources=("airflowReport",))
NOWHERE = Span(0, 0)
MINUTE = timedelta(minutes=1)
MANY = Quantifier(1, None, Link.NEXT, every_length=False, until=None, span=NOWHERE)
A, B, C = (Element(name, None, NOWHERE) for name in "abc")


def compiled(text: str) -> Query:
    return compile_document(text, VOCABULARY)[-1]


def test_a_selection_says_its_filters() -> None:
    query = compiled("SELECT ?e.sensorID FILTER (?e.flowrate > 500)")
    assert plan_text(describe_query(query, {"e": PlanNode("", "PATH of ?e", (PlanNode("key", "sensorID"),))})) == (
        "query (unnamed): selection\n"
        "  ?e from airflowReport\n"
        "    filter on columns: ?e.flowrate > 500\n"
        "    semantic filter:\n"
        "      PATH of ?e\n"
        "        key: sensorID\n"
        "  within: from now (exclusive) on\n"
        "  operator: reports each candidate\n"
        "  output: sensorID string"
    )


def test_a_rule_says_what_it_does_and_when() -> None:
    rule = compiled("CREATE RULE r ON airflowReport DO CALL go(?row.flowrate AS x), EMIT e(1 AS n) DEFERRED PRIORITY 2")
    assert plan_text(describe_query(rule, {})) == (
        "rule r: on airflowReport\n"
        "  ?row from airflowReport\n"
        "    every event is a candidate\n"
        "  within: from now (exclusive) on\n"
        "  does: CALL go(?row.flowrate AS x)\n"
        "  does: EMIT e(1 AS n)\n"
        "  when: after all rows of one time (deferred), priority 2"
    )


def test_an_aggregation_says_its_window_and_what_is_reported() -> None:
    query = compiled(
        "CREATE QUERY high AS SELECT AVG(?e.flowrate) > 500 AS a WITHIN [now, now + 1h) "
        "WINDOW (?e, sliding, 5min) GROUP BY ?e.sensorID HAVING (COUNT(?e) > 3) LIMIT 1"
    )
    within = resolve_bounds(query.bounds, datetime(2012, 5, 7, 9, tzinfo=UTC))
    assert plan_text(describe_query(query, {}, within)) == (
        "query high: aggregation\n"
        "  ?e from airflowReport\n"
        "    every event is a candidate\n"
        "  within: from now (exclusive) to now + 1h (inclusive), "
        "which is from 2012-05-07T09:00:00Z (exclusive) to 2012-05-07T10:00:00Z (inclusive)\n"
        "  operator: aggregates the candidates of each window\n"
        "  window: at each ?e, the last 5min\n"
        "  group: by ?e.sensorID\n"
        "  only while: AVG(?e.flowrate) > 500\n"
        "  only while: COUNT(?e) > 3\n"
        "  ends after: 1 match\n"
        "  output: a double"
    )


def test_a_pattern_says_sequence_joins_and_windows() -> None:
    query = compiled(
        "SELECT ?a.flowrate AS x FROM (?a, airflowReport), (?b, airflowReport) JOIN (?a.sensorID = ?b.sensorID) "
        "SEQ (?a, ?b) WINDOW (?a, ?b, 90s) PARTITION BY sensorID LIMIT 2"
    )
    assert plan_text(describe_query(replace(query, warnings=("no such class",)), {})) == (
        "query (unnamed): pattern\n"
        "  ?a from airflowReport\n"
        "    every event is a candidate\n"
        "  ?b from airflowReport\n"
        "    every event is a candidate\n"
        "  within: from now (exclusive) on\n"
        "  operator: correlates candidates\n"
        "  sequence: ?a then, passing over any events, ?b\n"
        "  join: ?a.sensorID = ?b.sensorID\n"
        "  window: ?a, ?b lie within 90s\n"
        "  partition: by sensorID\n"
        "  ends after: 2 matches\n"
        "  output: x double\n"
        "  warning: no such class"
    )


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (SlidingWindow("e", 1, NOWHERE), "at each ?e, the last 1 event"),
        (BatchWindow("e", MINUTE, None, NOWHERE), "?e in batches of 1min, counted from the epoch"),
        (BatchWindow("e", 10, "first", NOWHERE), "?e in batches of 10 events, counted from the first candidate"),
        (
            BatchWindow("e", MINUTE, datetime(2012, 5, 7, 9, tzinfo=UTC), NOWHERE),
            "?e in batches of 1min, counted from 2012-05-07T09:00:00Z",
        ),
        (HoppingWindow("e", 5 * MINUTE, MINUTE, NOWHERE), "?e in windows of 5min, one every 1min"),
        (CumulateWindow("e", 5 * MINUTE, MINUTE, NOWHERE), "?e in windows that grow by 1min up to 5min"),
        (SessionWindow("e", MINUTE, NOWHERE), "?e in sessions that a gap of 1min ends"),
    ],
)
def test_every_window_has_words(window: Window, words: str) -> None:
    query = replace(compiled("SELECT ?e.sensorID FILTER (?e.flowrate > 5)"), windows=(window,))
    assert f"\n  window: {words}\n" in plan_text(describe_query(query, {}))


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (Element("a", MANY, NOWHERE), "a run of ?a"),
        (Sequence((A, B, C), (Link.NEXT, Link.STRICT), NOWHERE), "?a then the next that fits, ?b then at once ?c"),
        (Negation("a", MINUTE, NOWHERE), "no ?a for 1min"),
        (Timer(MINUTE, None, NOWHERE), "the moment 1min later"),
        (Timer(MINUTE, "b", NOWHERE), "every 1min until ?b"),
        (
            Group(Alternative((A, Negation("b", None, NOWHERE)), NOWHERE), MANY, NOWHERE),
            "repetitions of ((?a or no ?b))",
        ),
        (Conjunction((A, B), NOWHERE), "(?a and, in any order, ?b)"),
    ],
)
def test_every_pattern_has_words(pattern: Pattern, words: str) -> None:
    query = replace(compiled("SELECT ?e.sensorID FILTER (?e.flowrate > 5)"), pattern=pattern)
    assert f"\n  sequence: {words}\n" in plan_text(describe_query(query, {}))


@pytest.mark.parametrize(
    ("clauses", "words"),
    [
        ("AFTER MATCH SKIP PAST LAST EVENT", "after a match: SKIP PAST LAST EVENT"),
        ("AFTER MATCH SKIP TO FIRST ?b", "after a match: SKIP TO FIRST ?b"),
        ("OUTPUT ALL EVERY 1min", "hands over: all rows, at the end of every 1min"),
        ("OUTPUT FIRST EVERY 3 matches", "hands over: the first row of every 3 matches"),
        ("OUTPUT LAST EVERY 1 matches", "hands over: the last row, at the end of every 1 match"),
    ],
)
def test_what_chooses_among_matches_has_words(clauses: str, words: str) -> None:
    text = f"SELECT DISTINCT ?a.sensorID SEQ (?a, ?b) WINDOW (?a, ?b, 5min) {clauses}"
    lines = plan_text(describe_query(compiled(text), {})).splitlines()
    assert f"  {words}" in lines
    assert "  distinct: a row whose items were reported is not reported again" in lines
