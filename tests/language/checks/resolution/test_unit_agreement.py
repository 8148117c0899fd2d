"""Units of expressions: values in columns are brought to one unit, and streams of rows know theirs."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.expressions.columns import column_expression
from kaicep.language.checks import compile_document
from kaicep.language.nodes.expression import Binary
from support.vocabulary import TWO_STREAMS


def test_a_column_is_converted_to_the_unit_of_the_first() -> None:
    text = """SELECT ?a.sensorID FROM (?a, airflowReport), (?b, temperatureReport)
    JOIN (?a.flowrate > ?b.flow) WINDOW (?a, ?b, 1min)"""
    (join,) = compile_document(text, TWO_STREAMS)[0].joins
    assert isinstance(join, Binary)
    found = pl.DataFrame({"flow": [1.0, None, 471.9474432]}).select(column_expression(join.right)).to_series()
    assert found.to_list() == pytest.approx([2.118880003, None, 1000.0])


def test_the_stream_of_a_query_has_the_units_of_its_items() -> None:
    text = """CREATE QUERY q AS SELECT ?e.celsius AS a, AVG(?e.celsius) AS b, STDDEV(?e.celsius) AS c,
    ?e.celsius - 3 AS d, ?e.flow * 2 AS e, ?e.flow / ?e.flow AS f
    FROM (?e, temperatureReport) WINDOW (?e, sliding, 1min)"""
    output = compile_document(text, TWO_STREAMS)[0].output
    named = {a.name: a.unit and a.unit.rpartition("/")[2] for a in output.attributes}
    assert named == {"a": "DEG_C", "b": "DEG_C", "c": None, "d": "DEG_C", "e": "L-PER-SEC", "f": None, "_time": None}
