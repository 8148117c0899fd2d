"""Wide tables become long ones, value by value."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from kaicep.pipeline.sources.layouts import unpivot_table

values = st.one_of(st.none(), st.floats(allow_nan=False))


def test_a_row_for_each_value_that_is_there() -> None:
    """Row by row, then column by column: a recording in order of time stays in it."""
    wide = pa.table({"t": [1, 2], "a": [1.0, None], "b": [2.0, 3.0]})
    found = unpivot_table(wide, ["a", "b"], "point", "value")
    assert found.table.to_pylist() == [
        {"t": 1, "point": "a", "value": 1.0},
        {"t": 1, "point": "b", "value": 2.0},
        {"t": 2, "point": "b", "value": 3.0},
    ]
    assert found.rows.tolist() == [0, 0, 1]


@given(st.integers(1, 4).flatmap(lambda k: st.lists(st.lists(values, min_size=k, max_size=k), max_size=20)))
def test_every_value_keeps_its_row_and_its_column(rows: list[list[float | None]]) -> None:
    names = [f"p{i}" for i in range(len(rows[0]) if rows else 1)]
    wide = pa.table(
        {"t": pa.array(range(len(rows)), pa.int64())}
        | {name: pa.array([row[i] for row in rows], pa.float64()) for i, name in enumerate(names)}
    )
    found = unpivot_table(wide, names, "point", "value")
    expected = [
        (t, name, value)
        for t, row in enumerate(rows)
        for name, value in zip(names, row, strict=True)
        if value is not None
    ]
    assert [(r["t"], r["point"], r["value"]) for r in found.table.to_pylist()] == expected
    assert found.rows.tolist() == [t for t, _, _ in expected]


def test_numbers_of_several_kinds_become_one_and_texts_text() -> None:
    numbers = unpivot_table(pa.table({"a": [1], "b": [2.5]}), ["a", "b"], "p", "v").table
    assert numbers["v"].to_pylist() == [1.0, 2.5]
    texts = unpivot_table(pa.table({"a": [1], "b": ["off"]}), ["a", "b"], "p", "v").table
    assert texts["v"].to_pylist() == ["1", "off"]


def test_nothing_to_unpivot_is_no_row() -> None:
    found = unpivot_table(pa.table({"t": [1]}), [], "p", "v")
    assert (found.table.num_rows, found.table.column_names) == (0, ["t", "p", "v"])
