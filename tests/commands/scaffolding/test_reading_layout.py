"""The layout by which most ids name somebody is chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.annotator.recognition import recognise_columns
from kaicep.commands.scaffolding.reading_layout import ReadingLayout, find_layout
from kaicep.commands.trials import EventSample
from kaicep.ontology import KnowledgeBase
from support.small_building import MODEL, POINTS, write_columns, write_files, write_rows

KNOWLEDGE = KnowledgeBase.of_turtle(MODEL, "none")


def layout_of(events: Path, id_column: str | None = None) -> ReadingLayout:
    sample = EventSample.of(events)
    roles = recognise_columns(sample.table)
    assert roles is not None
    return find_layout(sample, roles, KNOWLEDGE, id_column)


@pytest.mark.parametrize(
    ("write", "form", "name", "values"),
    [
        (write_rows, "rows", "Point Name", {"Value": "double"}),
        (write_columns, "columns", "point", {"value": "double"}),
        (write_files, "files", "point", {"value": "double"}),
    ],
)
def test_every_layout_is_found(
    tmp_path: Path, write: Callable[[Path], Path], form: str, name: str, values: dict[str, str]
) -> None:
    layout = layout_of(write(tmp_path))
    assert (layout.form, layout.id, layout.values) == (form, name, values)
    assert set(layout.points) == set(layout.match.named) == set(POINTS)


def test_several_values_of_a_room(tmp_path: Path) -> None:
    path = tmp_path / "rooms.csv"
    path.write_text("room,time,co2,people\nroom1,2026-01-01,400.5,3\nroom2,2026-01-01,410.5,0\n")
    layout = layout_of(path)
    assert (layout.form, layout.id, layout.values) == ("rows", "room", {"co2": "double", "people": "double"})


def test_numbers_that_are_ids_are_found_by_what_they_name(tmp_path: Path) -> None:
    path = tmp_path / "meters.csv"
    path.write_text("meter,time,value\n7,2026-01-01,1\n8,2026-01-01,2\n")
    model = KnowledgeBase.of_turtle("<urn:a> a <urn:M> ; <urn:no> 7 . <urn:b> a <urn:M> ; <urn:no> 8 .", "none")
    sample = EventSample.of(path)
    roles = recognise_columns(sample.table)
    assert roles is not None
    layout = find_layout(sample, roles, model, None)
    assert (layout.id, layout.match.key, list(layout.values)) == ("meter", "urn:no", ["value"])


def test_remarks_in_a_wide_table_are_no_points(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("time,room1_co2,remark\n2026-01-01,400,a\n2026-01-02,410,b\n")
    layout = layout_of(path)
    assert (layout.form, layout.points, layout.values) == ("columns", ("room1_co2",), {"value": "double"})


def test_a_wide_table_of_states(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("time,room1_co2,room2_co2\n2026-01-01,on,off\n2026-01-02,off,off\n")
    layout = layout_of(path)
    assert (layout.form, layout.values) == ("columns", {"value": "string"})
