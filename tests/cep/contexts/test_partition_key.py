"""Keys as text: alike where GROUP BY takes them as alike, and in the order of their values."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from kaicep.cep.contexts import PartitionKeys
from kaicep.cep.contexts.partition_key import sortable
from kaicep.language.nodes import DEFAULT_BOUNDS, Context, ContextKey, ContextSet, ValueType
from kaicep.language.source_text import Span


def keys(*types: ValueType) -> PartitionKeys:
    """Of a set with keys of these types."""
    declared = tuple(ContextKey(f"k{place}", of) for place, of in enumerate(types))
    return PartitionKeys(ContextSet("s", (Context("c"),), declared, DEFAULT_BOUNDS, "", Span(0, 0)))


def test_integers_and_doubles_of_one_value_are_one_key() -> None:
    of = keys(ValueType.DOUBLE)
    whole = of.texts([pl.Series([1, None, 0])], [ValueType.INTEGER], 3).to_list()
    assert whole == of.texts([pl.Series([1.0, None, -0.0])], [ValueType.DOUBLE], 3).to_list()
    assert whole[1] is None


def test_an_unbound_key_is_no_partition_and_without_keys_there_is_one() -> None:
    of = keys(ValueType.INTEGER, ValueType.STRING)
    texts = of.texts([pl.Series([1, 1]), pl.Series(["a", None])], [ValueType.INTEGER, ValueType.STRING], 2)
    assert texts.is_null().to_list() == [False, True]
    assert keys().texts([], [], 2).to_list() == ["", ""]


@given(st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.5, None]), st.sampled_from(["a", "", None]))))
def test_codes_of_many_rows_say_the_same_as_their_texts(rows: list[tuple[float | None, str | None]]) -> None:
    values = [pl.Series([n for n, _ in rows], dtype=pl.Float64), pl.Series([t for _, t in rows], dtype=pl.String)]
    of, types = keys(ValueType.DOUBLE, ValueType.STRING), [ValueType.DOUBLE, ValueType.STRING]
    found = of.codes(values, types, len(rows))
    assert len(set(found.keys)) == len(found.keys)
    texts = [None if code < 0 else found.keys[code] for code in found.codes.tolist()]
    assert texts == of.texts(values, types, len(rows)).to_list()


def test_keys_are_in_the_order_of_their_values() -> None:
    numbers = ["-12", "-2", "0", "7", "10"]
    assert sorted(numbers, key=lambda key: sortable(key, (ValueType.INTEGER,))) == numbers
    assert sortable("b", (ValueType.STRING,)) == "b"
