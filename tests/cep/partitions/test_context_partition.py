"""A query in contexts is a plain one whose partitions are context windows."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from kaicep.cep.order import event_columns
from kaicep.cep.partitions import (
    WINDOW_COLUMN,
    asks_of_windows,
    is_shared,
    is_windowed,
    key_columns,
    partitioned_by_window,
    placed_variables,
    reserved_types,
)
from kaicep.language.nodes import ValueType, expression_text
from support.context_queries import in_contexts
from support.operators import compiled

PAIR = "SELECT ?a FROM (?a, readings), (?b, alarms) SEQ (?a => ?b) WINDOW (?a, ?b, 3s) PARTITION BY sensor"


def test_the_window_is_the_first_partition_of_every_variable() -> None:
    query = partitioned_by_window(in_contexts(compiled(PAIR)))
    window, sensor = query.partition_by
    assert window == (("a", WINDOW_COLUMN), ("b", WINDOW_COLUMN))
    assert dict(sensor) == {"a": "sensor", "b": "sensor"}
    assert all(WINDOW_COLUMN in source.columns for source in query.sources)
    assert partitioned_by_window(query) == query


def test_a_query_without_contexts_stays_as_it_is() -> None:
    query = compiled(PAIR)
    assert partitioned_by_window(query) is query
    assert not is_windowed(query)


def test_all_events_are_told_apart_by_window_before_what_the_text_says() -> None:
    query = in_contexts(compiled(PAIR))
    assert event_columns(query)["alarms"] == ["_time", "_id", WINDOW_COLUMN, "sensor"]


def test_a_pattern_with_for_sees_each_candidate_once_beside_its_partition() -> None:
    query = in_contexts(compiled(PAIR), required=["a"])
    assert key_columns(query) == ("#key",)
    of = {source.variable: source.columns for source in partitioned_by_window(query).sources}
    assert "#key" in of["a"]
    assert "#key" not in of["b"]
    assert not is_windowed(query)


def test_what_for_asks_of_an_aggregate_it_asks_of_each_candidate() -> None:
    query = compiled("SELECT COUNT(?e) AS c FROM (?e, readings) WINDOW (?e, batch, 3s)")
    assert is_windowed(in_contexts(query, required=["e"]))


def test_reserved_columns_are_numbers() -> None:
    assert reserved_types(("sensor", "#key", WINDOW_COLUMN)) == {"#key": pl.Int64(), WINDOW_COLUMN: pl.Int64()}


SHARED = {
    "SEQ (?a, ?b) WINDOW (?a, ?b, 3s)": True,
    "SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 3s)": True,
    "SEQ (NOT ?n, ?a, ?b) WINDOW (?a, ?b, 3s)": True,
    "SEQ (NOT ?n FOR 1s, ?a, ?b) WINDOW (?a, ?b, 3s)": False,
    "SEQ (?a, ?b, NOT ?n) WINDOW (?a, ?b, 3s)": False,
    "SEQ (?a, ?b, NOT ?n FOR 1s) WINDOW (?a, ?b, 3s)": False,
    "SEQ (?a -> ?b) WINDOW (?a, ?b, 3s)": False,
    "SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)": False,
    "SEQ (?a, ?b) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP PAST LAST EVENT": False,
}


@pytest.mark.parametrize("text", SHARED)
def test_a_pattern_that_its_events_decide_is_looked_for_once_in_windows_that_overlap(text: str) -> None:
    sources = "(?a, readings), (?b, alarms)" + (", (?n, alarms)" if "?n" in text else "")
    query = compiled(f"SELECT ?a FROM {sources} {text}")
    assert is_shared(in_contexts(query)) is SHARED[text]
    alone = in_contexts(query, ["jam"])  # its windows do not overlap, but equal queries may take their steps together
    assert is_shared(alone) is SHARED[text]
    assert alone.in_context is not None
    assert not is_shared(replace(alone, in_context=replace(alone.in_context, together=False)))
    assert not is_shared(in_contexts(query, required=["a"]))
    assert is_windowed(in_contexts(query)) is not SHARED[text]


def test_what_is_shared_is_looked_for_within_a_partition() -> None:
    query = in_contexts(compiled("SELECT ?a FROM (?a, readings), (?b, alarms) SEQ (?a, ?b) WINDOW (?a, ?b, 3s)"))
    shared = partitioned_by_window(query)
    assert shared.partition_by == ((("a", "#key"), ("b", "#key")),)
    assert key_columns(shared) == ("#key",)
    assert placed_variables(shared) == ("a", "b")
    assert is_shared(shared)
    assert partitioned_by_window(shared) == shared


def test_events_that_for_names_agree_in_their_window_where_it_is_asked_for() -> None:
    text = "SELECT ?a FROM (?a, readings), (?b, alarms), (?c, alarms) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 3s)"
    query = in_contexts(compiled(text), required=["a", "c"])
    assert not asks_of_windows(query)
    first, *others = query.sources
    asked = replace(query, sources=(replace(first, window_attributes=(("w.v", ValueType.INTEGER),)), *others))
    assert asks_of_windows(asked)
    assert key_columns(asked) == ("#key",)
    whole = partitioned_by_window(asked)
    assert [expression_text(join) for join in whole.joins] == ["?a.#key = ?c.#key"]
    assert ["#key" in source.columns for source in whole.sources] == [True, False, True]
    assert whole.partition_by == ()
    assert partitioned_by_window(whole) == whole
