"""What entries of aggregates are made of."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.expressions import AGGREGATES, RefusedError, column_expression
from kaicep.expressions.aggregates.aggregate_function import appended, as_type, unbound
from kaicep.language.nodes import Column, ValueType
from support.aggregates import HERE, aggregate


def test_states_of_what_looks_at_all_values_hold_the_bound_ones() -> None:
    assert appended(appended(appended(None, 1), None), 2) == (1, 2)


def test_numbers_become_doubles_and_what_is_none_becomes_unbound() -> None:
    frame = pl.DataFrame({"x": ['"5"^^<http://www.w3.org/2001/XMLSchema#integer>', "<http://x>"]})
    as_double = as_type(Column("e", "x", ValueType.TERM, HERE), ValueType.DOUBLE)
    assert frame.select(column_expression(as_double)).to_series().to_list() == [5.0, None]
    assert frame.select(column_expression(unbound(HERE)).first()).item() is None


@pytest.mark.parametrize("name", AGGREGATES)
def test_sparql_says_which_events_and_operators_what_of_them(name: str) -> None:
    with pytest.raises(RefusedError, match=f"{name} is taken over events that SPARQL has no order for"):
        AGGREGATES[name].sparql(aggregate(name, ValueType.DOUBLE))


@pytest.mark.parametrize("name", AGGREGATES)
def test_of_no_event_accumulators_have_a_value_or_none(name: str) -> None:
    e = aggregate(name, ValueType.DOUBLE)
    of_none = AGGREGATES[name].accumulator(e).value(None)
    assert of_none == (0 if name in ("COUNT", "SUM") else None)
