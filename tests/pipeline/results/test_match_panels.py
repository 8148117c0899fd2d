"""What plots show, before anything is drawn."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep import Rows
from kaicep.errors import PipelineError
from kaicep.pipeline.results.match_panels import Panel, _of_common_lines, panels_of_matches
from support.result_rows import BEGIN, READINGS, aggregates, pairs, project, selected

MINUTE = timedelta(minutes=1)


def panels(rows: Rows, attribute: str | None = None, by: tuple[str, ...] | None = None) -> tuple[Panel, ...]:
    return panels_of_matches(rows.table, rows.events, rows.prefixes, attribute, by)


def test_lines_are_what_each_sensor_with_matches_says() -> None:
    (panel,) = panels(selected())
    assert panel.title == "ppm [PPM]"
    (south,) = panel.lines
    assert south.label == "s:s2"
    assert south.points["value"].to_list() == [600.0, 610.0, 620.0, 630.0, 640.0, 650.0]
    assert south.points["time"].to_list() == [BEGIN + n * MINUTE for n in range(6)]


def test_marks_are_the_events_of_matches() -> None:
    (panel,) = panels(selected())
    (marks,) = panel.marks
    assert marks.label == "?e"
    assert marks.points["value"].to_list() == [row["ppm"] for row in selected()]
    assert marks.points["time"].to_list() == [row["_time"] for row in selected()]


def test_variables_of_one_stream_share_a_panel_and_have_marks_of_their_own() -> None:
    (panel,) = panels(pairs())
    assert [marks.label for marks in panel.marks] == ["?a", "?b"]
    assert sorted(panel.marks[0].points["value"].to_list()) == [410.0, 510.0, 610.0]
    assert sorted(panel.marks[1].points["value"].to_list()) == [430.0, 530.0, 630.0]


def test_stretches_that_overlap_are_one() -> None:
    (panel,) = panels(pairs())
    assert panel.spans.rows() == [(BEGIN + MINUTE, BEGIN + 3 * MINUTE)]


def test_an_aggregate_is_drawn_below_the_values_that_it_is_of() -> None:
    values, means = panels(aggregates())
    assert (values.title, means.title) == ("ppm [PPM]", "mean")
    assert {line.label: line.points["value"].to_list() for line in means.lines} == {
        "north": [460.0, 490.0],
        "south": [610.0, 640.0],
    }
    assert values.spans.rows()


def test_an_attribute_is_asked_for_by_name_or_by_variable() -> None:
    assert [panel.title for panel in panels(selected(), "n")] == ["n"]
    assert [panel.title for panel in panels(pairs(), "?a.n")] == ["n"]
    assert [marks.label for marks in panels(pairs(), "?b.ppm")[0].marks] == ["?b"]
    assert [panel.title for panel in panels(aggregates(), "mean")] == ["mean"]


def test_lines_are_told_apart_as_asked() -> None:
    (panel,) = panels(selected(), by=("room",))
    assert [line.label for line in panel.lines] == ["south"]
    (whole,) = panels(selected(), by=())
    assert [line.points.height for line in whole.lines] == [18]
    assert [line.label for line in whole.lines] == [""]


def test_rows_without_their_events_are_drawn_as_items() -> None:
    bare = Rows(selected().table, selected().prefixes)
    (panel,) = panels(bare)
    assert (panel.title, panel.marks, panel.spans.height) == ("ppm", (), 0)
    assert [(line.label, line.points.height) for line in panel.lines] == [("s:s2", 5)]


def test_no_match_still_shows_the_values() -> None:
    none = project().evaluate("SELECT ?e.ppm FILTER (?e.ppm > 9000)", {"air": READINGS})
    (panel,) = panels(none)
    assert (len(panel.lines), panel.marks[0].points.height) == (3, 0)


def test_lines_beyond_the_first_eight_are_counted() -> None:
    readings = [{**READINGS[0], "sensor": f"s{n}"} for n in range(11)]
    (panel,) = panels(project().evaluate("SELECT ?e.ppm", {"air": readings}))
    assert (len(panel.lines), panel.left_out, panel.marks[0].points.height) == (8, 3, 8)


@pytest.mark.parametrize(
    ("rows", "attribute", "by", "message"),
    [
        (selected, "pmm", None, "there is no 'pmm' to draw: did you mean 'ppm'?"),
        (selected, "zzzzz", None, "there is no 'zzzzz' to draw: draw one of ?e.ppm, ?e.n, ppm"),
        (
            selected,
            None,
            ("rm",),
            "lines cannot be told apart by 'rm': there is no such column: did you mean 'room'?",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told(rows: object, attribute: str, by: tuple[str, ...] | None, message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        panels(rows(), attribute, by)  # type: ignore[operator]  # a fixture by name
    assert str(caught.value) == message


def test_rows_without_numbers_are_not_drawn() -> None:
    text = project().evaluate("SELECT ?e.sensor AS sensor", {"air": READINGS})
    with pytest.raises(PipelineError) as caught:
        panels(Rows(text.table))
    assert str(caught.value) == "there is nothing numeric to draw: select a number, such as ?e.value"


def test_variables_without_a_common_sensor_have_panels_of_their_own() -> None:
    """One stream may carry degrees and people: they do not share an axis."""
    text = """SELECT ?a.ppm AS first, ?b.ppm AS then FROM (?a, air), (?b, air)
        FILTER (?a.n = 1) FILTER (?b.n = 3) FILTER (?a.room = 'south') FILTER (?b.room = 'north')
        SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"""
    south, north = panels(project().evaluate(text, {"air": READINGS}))
    assert (south.title, north.title) == ("ppm [PPM] of ?a", "ppm [PPM] of ?b")
    assert [line.label for line in south.lines] == ["s:s2"]
    assert sorted(line.label for line in north.lines) == ["s:s0", "s:s1"]
    assert [marks.label for marks in south.marks] == ["?a"]


@pytest.mark.parametrize(
    ("labels", "groups"),
    [
        ({"a": "x", "b": "x"}, [["a", "b"]]),
        ({"a": "x", "b": "y"}, [["a"], ["b"]]),
        ({"a": "x", "b": "y", "c": "xy"}, [["a", "b", "c"]]),
        ({"a": "", "b": "y"}, [["a", "b"]]),
        ({"a": "", "b": ""}, [["a", "b"]]),
    ],
)
def test_variables_are_grouped_by_common_lines(labels: dict[str, str], groups: list[list[str]]) -> None:
    assert _of_common_lines({variable: frozenset(names) for variable, names in labels.items()}) == groups
