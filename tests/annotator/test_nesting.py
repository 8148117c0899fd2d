"""How deep values are nested is counted without going down into them."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.nesting import (
    MOST_NESTED,
    array_items,
    json_nesting,
    leading_items,
    type_nesting,
    value_nesting,
)

MANY = 100_000


def plain_depth(value: object) -> int:
    """The same by the definition: it goes down."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(plain_depth, inner), default=0)


keys = st.text(alphabet='[]{},"\\a', max_size=3)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='[]{},"\\a:'),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='[]{},"\\a', max_size=3), inner, max_size=3)
    ),
)


@given(values)
def test_nesting_is_that_of_the_definition(value: object) -> None:
    assert json_nesting(json.dumps(value)) == value_nesting(value) == plain_depth(value)


@given(st.lists(values, min_size=1))
def test_items_of_an_array_are_its_values(items: list[object]) -> None:
    assert [json.loads(text) for text in array_items(json.dumps(items))] == items


@given(st.lists(values, min_size=1), st.integers(0, 60))
def test_leading_items_and_what_is_behind_them_are_the_array(items: list[object], cut: int) -> None:
    """Whatever is behind the cut: an item is one when its end is known."""
    text = json.dumps(items)[1:]
    found, rest, ended = leading_items(text[:cut])
    others, behind, end = leading_items(rest + text[cut:]) if not ended else ([], rest, ended)
    assert [json.loads(one) for one in (*found, *others)] == items
    assert (end, behind + text[cut:] * ended) == (True, "")


def test_what_is_no_array_is_one_item() -> None:
    assert list(array_items(' {"a": [1, 2]} ')) == ['{"a": [1, 2]}']


def test_depths_that_end_processes_are_counted() -> None:
    deep: object = 1
    for _ in range(MANY):
        deep = [deep]
    assert json_nesting("[" * MANY + "]" * MANY) == MANY
    assert value_nesting(deep) > MOST_NESTED
    while isinstance(deep, list):  # Python would take it apart level by level
        deep = deep.pop()


@pytest.mark.parametrize(
    ("kind", "depth"),
    [
        (pa.string(), 0),
        (pa.list_(pa.int64()), 1),
        (pa.struct([]), 1),
        (pa.struct([("a", pa.int64()), ("b", pa.list_(pa.list_(pa.int8())))]), 3),
        (pa.map_(pa.string(), pa.list_(pa.int64())), 3),
        (pa.dictionary(pa.int32(), pa.list_(pa.int64())), 1),
        (pa.fixed_shape_tensor(pa.int32(), [2]), 1),
    ],
)
def test_types_are_as_deep_as_their_parts(kind: pa.DataType, depth: int) -> None:
    assert type_nesting(kind) == depth
