"""Which events of a table are late."""

from __future__ import annotations

import pyarrow as pa
from kaicep.archive.log import late_rows
from support.archives import readings


def test_events_without_the_column_are_in_time() -> None:
    assert late_rows(readings(3)) is None


def test_events_of_which_none_is_late_are_in_time() -> None:
    assert late_rows(readings(2).append_column("_late", pa.array([False, None]))) is None


def test_late_events_are_told_row_by_row() -> None:
    late = late_rows(readings(3).append_column("_late", pa.array([None, True, False])))
    assert late is not None
    assert late.to_list() == [False, True, False]
