"""An automaton is drawn as Mermaid or DOT: states as nodes, what leads from each as edges with the conditions."""

from __future__ import annotations

import pytest
from kaicep.errors import PlanError
from kaicep.explain import DiagramFormat, automaton_diagram_of, write_diagram
from kaicep.language.nodes import Query
from support.letters import project, question


def compiled(text: str) -> Query:
    (query,) = project().compile(text)
    return query


def drawn(query: Query, form: DiagramFormat) -> str:
    return write_diagram(automaton_diagram_of(query), form)


RISING = question("?a -> ?b{2; =>}", "JOIN (?b.x > ?a.x)")


def test_mermaid() -> None:
    assert drawn(compiled(RISING), DiagramFormat.MERMAID).splitlines() == [
        "stateDiagram-v2",
        "    s0 : 0 awaits ?a",
        "    s1 : 1 awaits ?b",
        "    s2 : 2 awaits ?b",
        "    s3 : 3 awaits nothing",
        "    [*] --> s0",
        "    s0 --> s1 : take ?a",
        "    s1 --> s2 : take -> ?b if WINDOW (?a, ?b, 3600s)#59; ?b.x > ?a.x",
        "    s1 --> s1 : ignore what nothing takes",
        "    s2 --> s3 : take => ?b if WINDOW (?a, ?b, 3600s)#59; ?b.x > ?a.x",
        "    s3 --> [*] : proceed",
    ]


def test_dot() -> None:
    assert drawn(compiled(RISING), DiagramFormat.DOT).splitlines() == [
        "digraph automaton {",
        "    rankdir=LR;",
        "    begin [shape=point];",
        '    accepted [shape=doublecircle, label=""];',
        '    s0 [label="0 awaits ?a"];',
        '    s1 [label="1 awaits ?b"];',
        '    s2 [label="2 awaits ?b"];',
        '    s3 [label="3 awaits nothing"];',
        "    begin -> s0;",
        '    s0 -> s1 [label="take ?a"];',
        '    s1 -> s2 [label="take -> ?b\\nif WINDOW (?a, ?b, 3600s)\\nand ?b.x > ?a.x"];',
        '    s1 -> s1 [label="ignore what nothing takes"];',
        '    s2 -> s3 [label="take => ?b\\nif WINDOW (?a, ?b, 3600s)\\nand ?b.x > ?a.x"];',
        '    s3 -> accepted [label="proceed"];',
        "}",
    ]


def test_labels_are_escaped() -> None:
    """No text of a condition ends a label: neither quotes in DOT, nor what Mermaid gives a meaning."""
    query = compiled(question("?a -> ?b{2; ->}", 'JOIN (?a.group != ?b.group OR ?a.group = "#\\"<x:y>;")'))
    assert '\\"#\\\\\\"<x:y>;\\"' in drawn(query, DiagramFormat.DOT)
    edge, *_ = [line for line in drawn(query, DiagramFormat.MERMAID).splitlines() if "group" in line]
    assert '"#35;\\"#60;x#58;y>#59;"' in edge
    assert edge.count(" : ") == 1


def test_a_very_large_automaton_says_that_it_is_cut() -> None:
    query = compiled(question("?a -> ?b{1,500; ->}"))
    assert drawn(query, DiagramFormat.MERMAID).endswith("%% cut: the automaton has more states")
    assert "// cut: the automaton has more states" in drawn(query, DiagramFormat.DOT)


def test_a_query_without_a_pattern_has_none() -> None:
    with pytest.raises(PlanError, match="the query has no automaton: only a query with SEQ has one"):
        drawn(compiled("SELECT ?e.x FROM (?e, letters)"), DiagramFormat.MERMAID)
