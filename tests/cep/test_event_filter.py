"""FILTERs of one variable leave the events of which they are true (docs/semantics.md 3.3)."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
from kaicep.cep.event_filter import Filter, apply_filters
from support.operators import compiled

FILTERS = compiled("SELECT ?e.n FROM (?e, readings) FILTER (?e.n > 1) FILTER (?e.note = 'a')").sources[0].filters


def test_an_event_stays_if_every_filter_is_true_of_it() -> None:
    """What is unbound makes a FILTER neither true nor false, and the event goes."""
    table = pa.table({"n": [1, 2, None, 3, 4], "note": ["a", "a", "a", "b", "a"], "more": [5, 6, 7, 8, 9]})
    assert apply_filters(table, FILTERS).to_pydict() == {"n": [2, 4], "note": ["a", "a"], "more": [6, 9]}


def test_string_views_are_filtered_too() -> None:
    table = pa.table({"n": [2, 0], "note": pa.array(["a", "a"], pa.string_view())})
    assert apply_filters(table, FILTERS).to_pydict() == {"n": [2], "note": ["a"]}


def test_a_table_of_which_all_stays_is_not_copied() -> None:
    table = pa.table({"n": [2, 3], "note": ["a", "a"]})
    assert apply_filters(table, FILTERS) is table
    assert apply_filters(table, ()) is table


def test_a_filter_says_which_columns_it_reads() -> None:
    assert Filter(FILTERS).columns == {"n", "note"}


def test_what_each_filter_lets_pass_is_told() -> None:
    """All of them together are the mask."""
    frame = pl.DataFrame({"n": [1, 2, None, 3], "note": ["a", "a", "a", "b"]})
    test = Filter(FILTERS)
    first, second = (test.mask_of(place, frame) for place in range(2))
    assert first.tolist() == [False, True, False, True]
    assert (first & second).tolist() == test.mask(frame).tolist() == [False, True, False, False]
