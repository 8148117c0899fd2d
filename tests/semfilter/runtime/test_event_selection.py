"""AND and OR over what parts select: masks, or a row per event and solution."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.semfilter.runtime.event_selection import ROW, Selection, all_of, any_of, as_frame, events_of


def mask(*rows: int) -> Selection:
    found = np.zeros(4, np.bool_)
    found[list(rows)] = True
    return found


def frame(name: str, *pairs: tuple[int, str]) -> pl.DataFrame:
    rows, values = [row for row, _ in pairs], [value for _, value in pairs]
    return pl.DataFrame({ROW: rows, name: values}, schema={ROW: pl.Int64(), name: pl.String()})


def test_masks_are_joined_as_truth_values() -> None:
    assert np.array_equal(all_of([mask(0, 1), mask(1, 2)]), mask(1))
    assert np.array_equal(any_of([mask(0, 1), mask(1, 2)]), mask(0, 1, 2))


def test_all_of_nothing_selects_nothing() -> None:
    assert len(all_of([])) == 0


def test_and_gives_every_combination_of_solutions_in_the_order_of_events() -> None:
    found = all_of([frame("?x", (0, "a"), (1, "b"), (1, "c")), mask(1, 2), frame("?y", (1, "p"), (1, "q"), (2, "r"))])
    assert isinstance(found, pl.DataFrame)
    assert found.rows() == [(1, "b", "p"), (1, "b", "q"), (1, "c", "p"), (1, "c", "q")]


def test_or_leaves_null_what_the_other_branch_binds_and_states_a_solution_once() -> None:
    found = any_of([frame("?x", (2, "a")), frame("?y", (0, "p")), mask(2), frame("?x", (2, "a"))])
    assert isinstance(found, pl.DataFrame)
    assert found.rows() == [(0, None, "p"), (2, "a", None), (2, None, None)]


def test_a_mask_as_a_frame_names_its_rows() -> None:
    assert as_frame(mask(1, 3))[ROW].to_list() == [1, 3]
    given = frame("?x", (0, "a"))
    assert as_frame(given) is given


def test_events_are_counted_once_whatever_their_solutions() -> None:
    assert events_of(mask(0, 2)) == 2
    assert events_of(frame("?a", (0, "x"), (0, "y"), (3, "x"))) == 2
    assert events_of(frame("?a")) == 0
