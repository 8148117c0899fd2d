"""Contexts are drawn with what is asked in them, and with the queries that lead from one to another."""

from __future__ import annotations

import pytest
from kaicep.errors import PlanError
from kaicep.explain import DiagramFormat, transition_network_of, write_diagram
from support.letters import project

CONTEXTS = """CREATE CONTEXTS mood (calm DEFAULT, busy, alarm, open DURING '08:00-18:00') BY group;
CREATE QUERY rise AS SWITCH CONTEXT busy FROM (?e, letters) IN CONTEXT calm FILTER (?e.kind = 'b');
CREATE QUERY fall AS SWITCH CONTEXT calm FROM (?e, letters) IN CONTEXT busy, alarm FILTER (?e.kind = 'c');
CREATE QUERY ring AS INITIATE CONTEXT alarm AT ('left') FROM (?e, letters) FILTER (?e.kind = 'a');
CREATE QUERY hush AS TERMINATE CONTEXT alarm FROM (?e, letters) FILTER (?e.kind = 'q');
CREATE QUERY pairs AS SELECT ?e.name FROM (?e, letters) IN CONTEXT calm, open;
CREATE QUERY all_of_them AS SELECT ?e.name FROM (?e, letters)"""


def drawn(text: str, form: DiagramFormat) -> list[str]:
    return write_diagram(transition_network_of(project().registrations(text, "query")), form).splitlines()


def test_mermaid() -> None:
    assert drawn(CONTEXTS, DiagramFormat.MERMAID)[:10] == [
        "flowchart LR",
        '    c0["mood.calm (default)<br/>pairs"]:::ground',
        '    c1["mood.busy"]:::plain',
        '    c2["mood.alarm"]:::plain',
        '    c3["mood.open<br/>holds by the clock<br/>pairs"]:::plain',
        '    c0 -->|"SWITCH by rise, for ?e.group"| c1',
        '    c1 -->|"SWITCH by fall, for ?e.group"| c0',
        '    c2 -->|"SWITCH by fall, for ?e.group"| c0',
        '    c0 -->|"INITIATE by ring, for #quot;left#quot;"| c2',
        '    c2 -->|"TERMINATE by hush, for ?e.group"| c0',
    ]


def test_dot() -> None:
    found = drawn(CONTEXTS, DiagramFormat.DOT)
    assert found[0] == "digraph contexts {"
    assert '    c0 [label="mood.calm (default)\\lpairs\\l", fillcolor="#eeeeee"];' in found
    assert '    c0 -> c1 [label="SWITCH by rise,\\nfor ?e.group"];' in found


def test_several_sets_stand_beside_each_other() -> None:
    text = """CREATE CONTEXTS a (one DEFAULT, two); CREATE CONTEXTS b (one DEFAULT, two);
    CREATE QUERY turn AS INITIATE CONTEXT a.two FROM (?e, letters) IN CONTEXT b.two;
    CREATE QUERY back AS INITIATE CONTEXT b.two FROM (?e, letters)"""
    found = drawn(text, DiagramFormat.MERMAID)
    assert '    c0 -->|"INITIATE by turn"| c1' in found
    assert '    c2 -->|"INITIATE by back"| c3' in found


def test_queries_without_contexts_have_no_network() -> None:
    with pytest.raises(PlanError, match="no query speaks of contexts"):
        drawn("SELECT ?e.name FROM (?e, letters)", DiagramFormat.MERMAID)
