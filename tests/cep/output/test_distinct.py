"""SELECT DISTINCT (docs/semantics.md 3.13)."""

from __future__ import annotations

import pyarrow as pa
import pytest
from kaicep.cep import Limits, build_operator
from kaicep.cep.output import DistinctRows
from kaicep.errors import CeilingError
from support.operators import Reading, answer, compiled, events, feed


def readings(*values: float | None) -> list[Reading]:
    return [{"id": f"e{i}", "t": i, "x": x} for i, x in enumerate(values)]


def test_unbound_nan_and_the_zeros_are_one_value_each() -> None:
    nan = float("nan")
    found = answer("SELECT DISTINCT ?e.x", readings(None, 0.0, nan, -0.0, None, nan, 1.0))
    assert events(found) == ["e0", "e1", "e2", "e6"]


def test_rows_of_earlier_calls_and_before_a_restart_count() -> None:
    query = compiled("SELECT DISTINCT ?e.x, ?e.n")
    operator = build_operator(query)
    assert events(feed(operator, query, readings(1.0, 2.0, 1.0), until=9)) == ["e0", "e1"]
    again = build_operator(query)
    again.restore(operator.snapshot())
    late = [{"id": "z", "t": 9, "x": 1.0}, {"id": "y", "t": 10, "x": 1.0, "n": 1}, {"id": "x", "t": 11, "x": 2.0}]
    assert events(feed(again, query, late)) == ["y"]


def test_limit_counts_the_rows_that_are_left() -> None:
    query = compiled("SELECT DISTINCT ?e.x LIMIT 2")
    operator = build_operator(query)
    assert events(feed(operator, query, readings(1.0, 1.0), until=9)) == ["e0"]
    assert not operator.ended
    assert events(feed(operator, query, [{"id": "z", "t": 9, "x": 2.0}])) == ["z"]
    assert operator.ended


def test_more_rows_than_the_ceiling_stop_the_query() -> None:
    query = compiled("SELECT DISTINCT ?e.x FROM (?e, readings)")
    operator = build_operator(query, limits=Limits(distinct_rows=3))
    assert events(feed(operator, query, readings(1.0, 2.0, 1.0, 3.0), until=9)) == ["e0", "e1", "e3"]
    again = [{"id": "z", "t": 9, "x": 2.0}]
    assert events(feed(operator, query, again, until=10)) == []
    with pytest.raises(CeilingError) as caught:
        feed(operator, query, [{"id": "y", "t": 10, "x": 4.0}])
    assert str(caught.value) == (
        "query:1:1: DISTINCT has more than 3 different rows to remember\n"
        "  1 | SELECT DISTINCT ?e.x FROM (?e, readings)\n"
        f"    | {'^' * 40} select values that come again, and no time stamps or "
        "identities; or leave DISTINCT out; or raise distinct_rows in [engine]"
    )


def test_what_is_remembered_is_not_in_more_and_more_pieces() -> None:
    query = compiled("SELECT DISTINCT ?e.x")
    distinct = DistinctRows(query)
    for number in range(500):
        rows = pa.table({"x": [float(number)]})
        assert distinct.first(rows.rename_columns(distinct.seen.columns)).num_rows == 1
    assert distinct.seen.height == 500
    assert distinct.seen.n_chunks() < 100
