"""Rows say whether the archive or the live stream made them certain."""

from __future__ import annotations

import pyarrow as pa
from kaicep.pipeline.sinks.row_source import marked, unmarked

ROWS = pa.table({"n": [1, 2]})


def test_marks_are_put_on_once_and_come_off_again() -> None:
    found = marked(ROWS, "archive", recovered=True)
    assert found.to_pydict() == {"n": [1, 2], "_source": ["archive"] * 2, "_recovered": [True] * 2}
    assert marked(found, "live") is found
    assert unmarked(found) == ROWS
