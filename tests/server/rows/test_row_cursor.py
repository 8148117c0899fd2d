"""Places of rows are ordered as the rows were found, and are read as they were written."""

from __future__ import annotations

import pytest
from kaicep.archive.log import Position
from kaicep.server.problem import ProblemError
from kaicep.server.rows import RowCursor


def test_places_are_ordered_as_rows_are_found() -> None:
    places = [RowCursor(Position(g, b), n) for g in (0, 1) for b in (2, 10) for n in (0, 9, 11)]
    assert places == sorted(places)
    assert [RowCursor.parse(str(place)) for place in places] == places


def test_before_the_first_row() -> None:
    assert RowCursor.parse(None) is None
    assert RowCursor.parse("0") is None


@pytest.mark.parametrize("text", ["", "1", "1-2", "1-2-x", "-1-2-3", "1-2-3-4", "1-2-3\n", "9" * 40 + "-1-1"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ProblemError, match="is no place among the rows") as problem:
        RowCursor.parse(text)
    assert problem.value.status == 400
