"""What was reported of a group before."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.windows.previous_reports import PreviousReports


def series(*values: object) -> pl.Series:
    return pl.Series(values)


def test_each_report_sees_the_one_before_of_its_group() -> None:
    reports = PreviousReports()
    (found,) = reports.before([series(1, 2, 3, 4)], [series("a", "b", "a", None)], np.arange(4))
    assert found.to_list() == [None, None, 1, None]
    (found,) = reports.before([series(5, 6)], [series(None, "b")], np.arange(2))
    assert found.to_list() == [4, 2]
    (found,) = reports.before([series(7)], [series("a")], np.arange(1))
    assert found.to_list() == [3]


def test_reports_are_in_the_order_that_is_said() -> None:
    (found,) = PreviousReports().before([series(1, 2, 3)], [], np.array([2, 0, 1]))
    assert found.to_list() == [3, 1, None]


def test_a_value_that_was_unbound_stays_so() -> None:
    (first, second) = PreviousReports().before([series(None, 2), series("x", "y")], [], np.arange(2))
    assert first.to_list() == [None, None]
    assert second.to_list() == [None, "x"]


def test_groups_of_windows_that_have_ended_are_forgotten() -> None:
    reports = PreviousReports()
    reports.forget(np.array([1]), 1)
    reports.before([series(1, 2)], [series(1, 2)], np.arange(2))
    reports.forget(np.array([1]), 1)
    (found,) = reports.before([series(3, 4)], [series(1, 2)], np.arange(2))
    assert found.to_list() == [None, 2]


def test_no_report_at_all() -> None:
    (found,) = PreviousReports().before([pl.Series([], dtype=pl.Int64)], [], np.arange(0))
    assert found.to_list() == []
