"""The mapping report as people read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.explain import mapping_lines
from support.mapping import mapped, project_with_model, readings

TEXT = "SELECT ?e.value FROM (?e, air) FILTER (?e.value > 1) PATH { ?e m:sensor ?s . ?s a m:CO2 }"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Streams `air` and `water`, three sensors in the model."""
    return project_with_model(tmp_path)


def test_a_report_without_complaints(project: Project) -> None:
    report = mapped(project, TEXT, {"air": readings(1, 2, 3, 4)})
    assert mapping_lines(report, {"m": "urn:m:", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}) == [
        "stream air: 4 events",
        "  sensor: 3 of 3 ids known: m:CO2 2, m:Flow 1",
        "query q0: 2 rows",
        "  ?e: 4 of air → 3 FILTER (?e.value > 1) → 2 PATH",
        "    PATH { ?e m:sensor ?s . ?s rdf:type m:CO2 }: holds for 2 of 3 events, for 2 of the stream's 3 individuals",
    ]


def test_a_report_with_complaints(project: Project) -> None:
    rows = [*readings(5, 6, 7, name="valeu", sensors=("s1", "S-2", "x")), {"at": "never", "more": 1}]
    lines = mapping_lines(mapped(project, TEXT, {"air": rows}), {"m": "urn:m:"})
    assert lines == [
        "stream air: 3 events, 1 records are none",
        "  declared, but in no event: value (did you mean 'valeu'?)",
        "  in the events, but not declared: valeu, more",
        "  sensor: 1 of 3 ids known: m:CO2 1",
        "    unknown: 'S-2' (1 events), did you mean 's2'?",
        "    unknown: 'x' (1 events)",
        "query q0: 0 rows",
        "  ?e: 3 of air → 0 FILTER (?e.value > 1)",
        "  no row: ?e: FILTER (?e.value > 1) is true of none of 3 events",
        "    no event has 'value': did you mean 'valeu'?",
    ]


def test_events_that_a_filter_left_are_told_from_individuals_of_the_whole_stream(project: Project) -> None:
    """The one event that the PATH was asked about has one sensor; the stream has three, two of them of the class."""
    text = TEXT.replace("> 1", "> 3")
    lines = mapping_lines(mapped(project, text, {"air": readings(1, 2, 3, 4)}))
    (line,) = [line for line in lines if "holds for" in line]
    assert line.endswith(": holds for 1 of 1 events, for 2 of the stream's 3 individuals")


def test_what_becomes_of_matches_is_told_where_it_changes(project: Project) -> None:
    text = "SELECT DISTINCT ?e.value FROM (?e, air) HAVING (?e.value > 1)"
    lines = mapping_lines(mapped(project, text, {"air": readings(1, 2, 2, 2)}))
    assert "query q0: 4 found → 3 left by HAVING → 1 left by DISTINCT → 1 rows" in lines


def test_conditions_on_several_events_are_told_one_by_one(project: Project) -> None:
    text = "SELECT ?a.value FROM (?a, air), (?b, air) JOIN (?b.value > ?a.value) SEQ (?a, ?b) WINDOW (?a, ?b, 1min)"
    lines = mapping_lines(mapped(project, f"{text} HAVING (?b.value - ?a.value > 1)", {"air": readings(3, 1, 2, 4)}))
    assert lines[-3:] == [
        "  ?b: 4 of air",
        "  JOIN (?b.value > ?a.value): true of 4 of 6 combinations",
        "  HAVING (?b.value - ?a.value > 1): true of 2 of 4 combinations",
    ]


def test_only_the_first_unknown_ids_are_listed(project: Project) -> None:
    rows = readings(*range(30), sensors=[f"zz{i}" for i in range(30)])
    lines = mapping_lines(mapped(project, "SELECT ?e.value FROM (?e, air)", {"air": rows}))
    assert "    … and 20 more" in lines
