"""Who evaluates records that are no events is told so, with their places."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from kaicep import Project
from support.result_rows import READINGS, project

GOOD, LATE = READINGS[0], {**READINGS[0], "at": "soon"}
TEXT = "SELECT ?e.ppm"


def test_what_is_no_event_is_told_with_place_and_reason(tmp_path: Path) -> None:
    """Over several files: each record by its own."""
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text('{"at": "2026-01-01", "sensor": "a", "ppm": 1}\n{"at"\n')
    other.write_text('{"at": "2026-01-01", "sensor": "b", "ppm": 1}\n{"sensor": "c", "ppm": 2}\n')
    with pytest.warns(UserWarning, match="are no events") as caught:
        rows = project().evaluate(TEXT, {"air": [one, other]})
    assert len(rows) == 2
    (told,) = caught
    message = str(told.message)
    assert message.startswith(f"2 of 4 records of stream air are no events: {one}:2: ")
    assert message.endswith(f"; {other}:2: at: is missing")
    assert told.filename == __file__


def test_many_are_counted() -> None:
    with pytest.warns(UserWarning, match="are no events") as caught:
        project().evaluate(TEXT, {"air": [GOOD, *[LATE] * 5]})
    assert str(caught[0].message) == (
        "5 of 6 records of stream air are no events: "
        "batch, row 2: at: 'soon' is no xsd:dateTime; batch, row 3: at: 'soon' is no xsd:dateTime; "
        "batch, row 4: at: 'soon' is no xsd:dateTime; and 2 more"
    )


def test_good_records_are_not_spoken_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(project().evaluate(TEXT, {"air": [GOOD]})) == 1
        assert len(Project.of(project().settings).evaluate(TEXT, {"air": []})) == 0
