"""Queries whose integers may leave 64 bits: hidden companions of items, and rows in which they are merged."""

from __future__ import annotations

import pyarrow as pa
from kaicep.cep.settled_query import joined_rows, settled_query, with_doubles
from kaicep.language.nodes import COMPANION
from support.operators import answer, compiled

TEXT = "SELECT ?e.n + 1 AS more, ?e.n AS n FROM (?e, readings)"
MOST = 2**63 - 1


def test_an_item_that_may_leave_has_a_hidden_companion() -> None:
    settled = settled_query(compiled(TEXT))
    assert [(item.name, item.hidden) for item in settled.items] == [
        ("more", False),
        ("n", False),
        (f"more{COMPANION}", True),
    ]
    assert [item.name for item in settled_query(settled).items] == [item.name for item in settled.items]


def test_conditions_in_until_are_settled() -> None:
    text = (
        "SELECT COUNT(?b) AS k FROM (?a, readings), (?b, readings) "
        "SEQ (?a -> ?b{1,; ->} UNTIL (?b.n + 1 > 5)) WINDOW (?a, ?b, 9s)"
    )
    query = compiled(text)
    assert settled_query(query).pattern != query.pattern


def test_rows_of_the_operator_have_companions_that_are_merged() -> None:
    rows = answer(TEXT, [{"id": "p", "t": 0, "n": 4}, {"id": "q", "t": 1, "n": MOST}])
    assert [(row["more"], row[f"more{COMPANION}"]) for row in rows] == [(5, None), (None, 2.0**63)]
    table = pa.table({"more": pa.array([5, None]), f"more{COMPANION}": pa.array([None, 2.0**63])})
    assert with_doubles(table).to_pydict() == {"more": [5.0, 2.0**63]}
    assert with_doubles(table.slice(0, 1)).to_pydict() == {"more": [5]}
    assert with_doubles(table.slice(0, 1)).schema.field("more").type == pa.int64()


def test_lists_are_merged_where_they_lack_a_value() -> None:
    table = pa.table({"l": pa.array([[1], [2]]), f"l{COMPANION}": pa.array([[1.0], [2.0, 3.0]])})
    assert with_doubles(table).to_pydict() == {"l": [[1.0], [2.0, 3.0]]}
    assert with_doubles(table.slice(0, 1)).to_pydict() == {"l": [[1]]}


def test_rows_of_batches_with_and_without_doubles_are_joined() -> None:
    one, other = pa.table({"n": pa.array([MOST])}), pa.table({"n": pa.array([2.0**70])})
    assert joined_rows([one, other]).to_pydict() == {"n": [float(MOST), 2.0**70]}
    assert joined_rows([one, one]).to_pydict() == {"n": [MOST, MOST]}
