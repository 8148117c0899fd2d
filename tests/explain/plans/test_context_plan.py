"""The plan of a query in contexts says what it is given, when, and what derives its contexts."""

from __future__ import annotations

from kaicep import Engine
from kaicep.explain import explain_registrations, plan_text
from support.letters import project

CONTEXTS = """CREATE CONTEXTS mood (calm DEFAULT, busy, alarm) BY group;
CREATE QUERY rise AS SWITCH CONTEXT busy FROM (?e, letters) IN CONTEXT calm FILTER (?e.kind = 'b');
INITIATE CONTEXT alarm (?e.name AS by) FROM (?e, letters) FILTER (?e.kind = 'a');
CREATE QUERY pairs AS SELECT ?x.name FROM (?x, letters) IN CONTEXT calm, alarm AS ?w FILTER (?x.kind = 'x')"""


def explained(text: str) -> list[list[str]]:
    told = explain_registrations(project(), project().registrations(text, "query"))
    return [plan_text(plan).splitlines() for plan in told]


def test_a_query_in_contexts() -> None:
    assert explained(CONTEXTS)[-1][:13] == [
        "query pairs: selection",
        "  in context: mood.calm or mood.alarm as ?w",
        "    all that it asks lies in one window",
        "    partition: ?x lies in that of mood for ?x.group; with an unbound one in no context",
        "    held: an event waits until the watermark of letters has passed it: then its contexts are known",
        "    pushed down: events reach its filters only within these windows; while none holds, it is not asked",
        "    each window by itself: it is no pattern of several events",
        "    contexts: CREATE CONTEXTS mood (calm DEFAULT, busy, alarm) BY group",
        "      derived by rise: SWITCH mood.busy, in mood.calm",
        "      derived by mood.alarm.initiate: INITIATE mood.alarm",
        "      one instance of each derives them for all queries",
        "  ?x from letters",
        '    filter on columns: ?x.kind = "x"',
    ]


def test_a_deriving_query_says_what_it_changes() -> None:
    switch, initiate, _ = explained(CONTEXTS)
    assert "  changes: SWITCH mood.busy, in mood.calm, in the partition of ?e.group" in switch
    assert "  changes: INITIATE mood.alarm, in the partition of ?e.group" in initiate
    assert "  output: by string" in initiate
    assert not [line for line in switch if line.startswith("  output")]


def test_with_for_only_those_events_have_to_lie_in_a_window() -> None:
    text = """CREATE CONTEXTS hours (closed DEFAULT, open DURING '08:00-18:00');
    SELECT ?x.name FROM (?x, letters), (?y, letters) IN CONTEXT open FOR ?y SEQ (?x, ?y) WINDOW (?x, ?y, 1h)"""
    (told,) = explained(text)
    assert "    the events of ?y that a match has lie in one window" in told
    assert not [line for line in told if line.lstrip().startswith(("held", "pushed down", "derived"))]


def test_a_window_of_a_context() -> None:
    text = """CREATE CONTEXTS hours (closed DEFAULT, open DURING '08:00-18:00');
    SELECT COUNT(?x) AS n FROM (?x, letters) IN CONTEXT open WINDOW (?x, CONTEXT)"""
    (told,) = explained(text)
    assert "  window: all ?x of a window of the contexts, when that ends" in told


def test_a_registered_query_names_the_queries_that_derive_its_contexts() -> None:
    with Engine(project()) as engine:
        engine.submit(CONTEXTS)
        handle = engine.handles[-1]
        assert "derived by rise: SWITCH mood.busy, in mood.calm" in handle.explain()


SIGNS = """CREATE QUERY signs AS SELECT ?e.group FROM (?e, letters) FILTER (?e.kind = 'a');
CREATE CONTEXTS mood (calm DEFAULT, busy) BY group;
INITIATE CONTEXT busy AT (?s.group) FROM (?s, signs);
"""
PAIR = "SELECT ?x.name FROM (?x, letters), (?y, letters) IN CONTEXT {} WHERE {{ SEQ (?x, {}?y) WINDOW (?x, ?y, 1h) }}"


def test_the_streams_behind_named_queries_are_named() -> None:
    told = explained(f"{SIGNS} {PAIR.format('busy', '')}")[-1]
    assert [line for line in told if "the watermark of signs, letters has passed it" in line]


def test_what_is_looked_for_together() -> None:
    text = f"{SIGNS} {PAIR.format('busy', '')}; CREATE QUERY still AS {PAIR.format('calm', '')}"
    told = explained(text)[-2]
    assert "    shared: a match is looked for once for all windows that overlap" in told
    assert "    together: and once for still (mood.calm), which differ in their contexts alone" in told
    assert not [line for line in explained(f"{SIGNS} {PAIR.format('busy', '')}")[-1] if "together" in line]


def test_what_differs_in_bounds_is_looked_for_together_too() -> None:
    still = PAIR.format("calm", "").replace("1h", "2h")
    told = explained(f"{SIGNS} {PAIR.format('busy', '')}; CREATE QUERY still AS {still}")[-2]
    (line,) = [line for line in told if "together" in line]
    assert line.endswith("in their contexts, or in thresholds and windows: each keeps what its own let in")
