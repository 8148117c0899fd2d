"""What queries ask of events is drawn from streams to variables, and once what several ask alike."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.explain import DiagramFormat, filter_graph_of, runtimes_of, write_diagram

_OFFICE = "PATH { ?e :by ?s . ?s :in ?r . ?r a :Office }"
_QUERIES = {
    "high": "SELECT ?e.x FILTER (?e.x > 5) FILTER (?e.x < 9)",
    "higher": "SELECT ?e.x FILTER (?e.x > 5)",
    "other": "SELECT ?f.x FROM (?f, air) FILTER (?f.x > 5)",
    "rooms": f"SELECT ?e.x FILTER (?e.x > 7) {_OFFICE}",
    "offices": f"SELECT ?e.x {_OFFICE}",
    "which": "SELECT ?e.x, ?r FILTER (?e.x > 5) PATH { ?e :by ?s . ?s :in ?r } FILTER (STR(?r) != 'x')",
    "before": "SELECT ?e.x WITHIN (, 2026-01-01T00:00:00Z) FILTER (?e.x > 5)",
    "all_of_them": "SELECT ?e.x",
    "fast": "SELECT ?e.x FILTER (?e.speed > 5)",
    "faster": f"SELECT ?e.x FILTER (?e.speed > 7) {_OFFICE}",
    "slow": "SELECT ?e.x FILTER (?e.speed < 5)",
    "fastest": "SELECT ?e.x FILTER (?e.speed > 9)",
    "few": "SELECT ?e.x FILTER (?e.x IN (1, 2, 3)) FILTER (?e.speed > 5)",
    "fewer": "SELECT ?f.x FROM (?f, air) FILTER (?f.x IN (2, 3)) FILTER (?f.speed > 5)",
    "one": "SELECT ?e.x FILTER (?e.x = 2) FILTER (?e.speed > 7)",
    "one_slow": "SELECT ?e.x FILTER (?e.x = 2) FILTER (?e.speed > 6)",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("offices")
    (root / "rooms.ttl").write_text("@prefix : <urn:> . :hall a :Office . :s0 :in :hall .", encoding="utf-8")
    attributes = {
        "x": {"datatype": "xsd:integer"},
        "speed": {"datatype": "xsd:double"},
        "sensor": {"property": ":by", "individual": ":{}"},
    }
    stream = {"event_type": ":R", "time": {"attribute": "at"}, "attributes": attributes}
    settings = {"prefixes": {"": "urn:"}, "knowledge": {"modules": ["rooms.ttl"]}, "streams": {"air": stream}}
    return Project.parse(settings, root=root)


def drawn(project: Project, *names: str, form: DiagramFormat = DiagramFormat.MERMAID) -> list[str]:
    text = ";\n".join(f"CREATE QUERY {name} AS {_QUERIES[name]}" for name in names)
    graph = filter_graph_of(runtimes_of(project, project.registrations(text, "query")), project.knowledge.prefixes)
    return [line.strip() for line in write_diagram(graph, form).splitlines() if "classDef" not in line]


def test_filters_that_begin_alike_are_drawn_once(project: Project) -> None:
    """Whatever their variables are called."""
    assert drawn(project, "high", "higher", "other", "all_of_them") == [
        "flowchart LR",
        'f0["air"]:::ground',
        'f1["FILTER (?e.x #gt; 5)<br/>once for 3 variables"]:::holds',
        'f2["FILTER (?e.x #lt; 9)"]:::plain',
        'f3["?e of high"]:::plain',
        'f4["?e of higher"]:::plain',
        'f5["?f of other"]:::plain',
        'f6["?e of all_of_them"]:::plain',
        "f0 --> f1",
        "f1 --> f2",
        "f2 --> f3",
        "f1 --> f4",
        "f1 --> f5",
        "f0 --> f6",
    ]


def test_paths_stand_beside_filters(project: Project) -> None:
    """They are asked of all events of a batch, and once for all who ask alike."""
    assert drawn(project, "rooms", "offices") == [
        "flowchart LR",
        'f0["air"]:::ground',
        'f1["FILTER (?e.x #gt; 7)"]:::plain',
        'f2["?e of rooms"]:::plain',
        'f3["PATH<br/>?e :by ?s . ?s :in ?r . ?r rdf:type :Office<br/>once for 2 variables"]:::holds',
        'f4["?e of offices"]:::plain',
        "f0 --> f1",
        "f1 --> f2",
        "f0 --> f3",
        "f3 --> f2",
        "f3 --> f4",
    ]


def test_what_is_asked_of_a_querys_own_events_is_its_own(project: Project) -> None:
    """What a PATH binds, and what WITHIN cuts."""
    found = drawn(project, "which", "before", "higher", form=DiagramFormat.DOT)
    boxes = [line for line in found if "label" in line]
    assert [line for line in found if "->" in line] == [
        "f0 -> f1;", "f1 -> f2;", "f2 -> f3;", "f3 -> f4;",
        "f0 -> f5;", "f5 -> f6;", "f6 -> f7;",
        "f0 -> f8;", "f8 -> f9;",
    ]  # fmt: skip
    assert [line.split('"')[1].split(" (")[0] for line in boxes][1:] == [
        "FILTER", "PATH\\l?e :by ?s . ?s :in ?r\\l", "FILTER", "?e of which\\l",
        "WITHIN", "FILTER", "?e of before\\l", "FILTER", "?e of higher\\l",
    ]  # fmt: skip
    assert not any("once for" in line for line in found)


def test_a_narrower_threshold_stands_behind_the_wider_one(project: Project) -> None:
    """It is asked of what that leaves; one in the other direction is asked of all events."""
    lines = drawn(project, "fastest", "fast", "faster", "slow")
    assert arrows_into(lines, "FILTER (?e.speed") == {
        "FILTER (?e.speed #gt; 5)": "air",
        "FILTER (?e.speed #gt; 7)": "FILTER (?e.speed #gt; 5)",
        "FILTER (?e.speed #gt; 9)": "FILTER (?e.speed #gt; 7)",
        "FILTER (?e.speed #lt; 5)": "air",
    }


def test_so_does_any_filter_that_another_one_follows_from(project: Project) -> None:
    """Among those behind the same FILTERs: what leads to a variable lets pass what the variable takes."""
    lines = drawn(project, "one_slow", "fewer", "one", "few")
    assert arrows_into(lines, "FILTER (?e.x") == {
        "FILTER (?e.x IN (1, 2, 3))": "air",
        "FILTER (?e.x = 2)<br/>once for 2 variables": "FILTER (?f.x IN (2, 3))",
    }
    assert arrows_into(lines, "FILTER (?f.x") == {"FILTER (?f.x IN (2, 3))": "FILTER (?e.x IN (1, 2, 3))"}
    assert arrows_into(lines, "FILTER (?e.speed #gt; 6") == {
        "FILTER (?e.speed #gt; 6)": "FILTER (?e.x = 2)<br/>once for 2 variables"
    }
    assert arrows_into(lines, "FILTER (?e.speed #gt; 7") == {"FILTER (?e.speed #gt; 7)": "FILTER (?e.speed #gt; 6)"}


def arrows_into(lines: list[str], said: str) -> dict[str, str]:
    """The boxes that say something, and what leads to each: one box."""
    boxes = {line.split("[")[0]: line.split('"')[1] for line in lines if "[" in line}
    arrows = [line.split(" --> ") for line in lines if " --> " in line]
    assert len({end for _, end in arrows if boxes[end].startswith(said)}) == len(
        [end for _, end in arrows if boxes[end].startswith(said)]
    )
    return {boxes[end]: boxes[start] for start, end in arrows if boxes[end].startswith(said)}
