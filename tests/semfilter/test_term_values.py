"""RDF terms as values of typed columns; what does not fit the type is null."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyoxigraph as ox
import pytest
from kaicep.expressions import POLARS_TYPES
from kaicep.language.nodes import XSD, ValueType
from kaicep.semfilter.term_values import moment_value, term_column

IRI = ox.NamedNode("urn:a")


def typed(lexical: str, datatype: str) -> ox.Literal:
    return ox.Literal(lexical, datatype=ox.NamedNode(XSD + datatype))


@pytest.mark.parametrize(
    ("kind", "term", "value"),
    [
        (ValueType.IRI, IRI, "urn:a"),
        (ValueType.IRI, ox.Literal("urn:a"), None),
        (ValueType.TERM, IRI, "<urn:a>"),
        (ValueType.TERM, ox.Literal("a", language="en"), '"a"@en'),
        (ValueType.STRING, ox.Literal("a"), "a"),
        (ValueType.STRING, ox.Literal("a", language="en"), "a"),
        (ValueType.STRING, typed("5", "integer"), None),
        (ValueType.DOUBLE, typed("5", "integer"), 5.0),
        (ValueType.DOUBLE, typed("0.1", "float"), 0.10000000149011612),
        (ValueType.DOUBLE, typed("-INF", "double"), float("-inf")),
        (ValueType.DOUBLE, typed("many", "double"), None),
        (ValueType.DOUBLE, ox.Literal("5"), None),
        (ValueType.INTEGER, typed("05", "integer"), 5),
        (ValueType.INTEGER, typed(str(2**63), "integer"), None),
        (ValueType.INTEGER, typed("5.0", "decimal"), None),
        (ValueType.BOOLEAN, typed("1", "boolean"), True),
        (ValueType.BOOLEAN, typed("yes", "boolean"), None),
        (ValueType.DATETIME, typed("2012-05-07T02:00:00+02:00", "dateTime"), datetime(2012, 5, 7, tzinfo=UTC)),
        (ValueType.DATETIME, typed("soon", "dateTime"), None),
        (ValueType.DURATION, typed("PT1M30.5S", "dayTimeDuration"), timedelta(seconds=90.5)),
        (ValueType.DURATION, typed("-P1DT2H", "dayTimeDuration"), -timedelta(days=1, hours=2)),
        (ValueType.DURATION, typed("a while", "dayTimeDuration"), None),
    ],
)
def test_a_term_as_a_value_of_a_type(kind: ValueType, term: object, value: object) -> None:
    assert term_column([term], kind).to_list() == [value]


@pytest.mark.parametrize("kind", list(ValueType))
def test_a_column_has_the_canonical_type_and_null_where_there_is_no_term(kind: ValueType) -> None:
    column = term_column([None], kind)
    assert (column.dtype, column.to_list()) == (POLARS_TYPES[kind], [None])


@pytest.mark.parametrize(
    ("lexical", "moment"),
    [
        ("2012-05-07T00:00:00", datetime(2012, 5, 7, tzinfo=UTC)),
        ("2012-05-07T00:00:00.1234567Z", datetime(2012, 5, 7, 0, 0, 0, 123456, UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("", None),
    ],
)
def test_moments_are_utc_to_microseconds(lexical: str, moment: datetime | None) -> None:
    assert moment_value(lexical) == moment
