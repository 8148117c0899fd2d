"""Values as text: canonical for ids, lexical for literals; and the datatypes that columns can hold."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.datatypes import (
    canonical_text,
    datatype_of_range,
    double_text,
    integer_bounds,
    lexical_text,
    number_text,
    short,
)
from kaicep.language.nodes import XSD, ValueType
from kaicep.ontology import KnowledgeBase


@pytest.mark.slow
@given(st.lists(st.floats() | st.integers(-50, 50).map(lambda e: 10.0**e), max_size=5))
def test_doubles_are_written_as_python_writes_them(values: list[float]) -> None:
    assert double_text(pl.Series(values, dtype=pl.Float64)).to_list() == [repr(value) for value in values]


def test_whole_numbers_are_written_as_integers_while_doubles_tell_them_apart() -> None:
    values = pl.Series([5.0, 5.5, -0.5, None, 2.0**53 - 1, 2.0**53])
    assert number_text(values).to_list() == ["5", "5.5", "-0.5", None, "9007199254740991", "9007199254740992.0"]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (ValueType.BOOLEAN, True, "true"),
        (ValueType.INTEGER, -7, "-7"),
        (ValueType.DOUBLE, 1e16, "1e+16"),
        (ValueType.STRING, " a ", " a "),
    ],
)
def test_canonical_text(kind: ValueType, value: object, text: str) -> None:
    assert canonical_text(pl.Series([value, None]), kind).to_list() == [text, None]


def test_moments_are_microseconds_in_ids_and_iso_8601_in_literals() -> None:
    moments = pl.Series([datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)], dtype=pl.Datetime("us", "UTC"))
    assert canonical_text(moments, ValueType.DATETIME).to_list() == ["1000000"]
    assert lexical_text(moments, XSD + "dateTime").to_list() == ["1970-01-01T00:00:01Z"]


def test_doubles_in_literals() -> None:
    """XSD spells infinities in its own way, and a decimal has no exponent."""
    values = pl.Series([float("inf"), float("-inf"), float("nan"), 1e-7])
    assert lexical_text(values, XSD + "double").to_list() == ["INF", "-INF", "NaN", "1e-07"]
    assert lexical_text(pl.Series([1e-7, 2.5]), XSD + "decimal").to_list() == ["0.0000001", "2.5"]


@pytest.mark.parametrize(
    ("datatype", "bounds"),
    [("byte", (-128, 127)), ("unsignedInt", (0, 2**32 - 1)), ("integer", (-(2**63), 2**63 - 1))],
)
def test_integer_bounds(datatype: str, bounds: tuple[int, int]) -> None:
    assert integer_bounds(XSD + datatype) == bounds


def test_the_range_of_a_property_gives_its_datatype() -> None:
    """The stated one when there is one that events can hold, else the usual one of the values' type."""
    knowledge = KnowledgeBase.of_turtle(
        """@prefix ex: <urn:ex:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        ex:level rdfs:range xsd:byte . ex:room ex:area 2.5 ."""
    )
    assert datatype_of_range("urn:ex:level", knowledge) == XSD + "byte"
    assert datatype_of_range("urn:ex:area", knowledge) == XSD + "double"
    assert datatype_of_range("urn:ex:unheardOf", knowledge) is None


def test_datatypes_in_messages() -> None:
    assert (short(XSD + "double"), short("urn:x")) == ("xsd:double", "<urn:x>")
