"""The datatypes that events can hold: their columns, their bounds, their texts."""

from __future__ import annotations

from decimal import Decimal
from typing import assert_never

import polars as pl
import pyarrow as pa
from pyoxigraph import NamedNode

from ..language.nodes import XSD, ValueType, type_of_datatype
from ..ontology import KnowledgeBase, select

MOMENT = pl.Datetime("us", "UTC")
ARROW_MOMENT = pa.timestamp("us", "UTC")
COLUMN_TYPES: dict[ValueType, pl.DataType] = {
    ValueType.BOOLEAN: pl.Boolean(),
    ValueType.INTEGER: pl.Int64(),
    ValueType.DOUBLE: pl.Float64(),
    ValueType.STRING: pl.String(),
    ValueType.DATETIME: MOMENT,
}

_OTHERS = {"boolean", "integer", "long", "double", "float", "decimal", "string", "normalizedString", "token", "anyURI"}
_MOMENTS = {"dateTime", "dateTimeStamp"}

_INT64 = (-(2**63), 2**63 - 1)
_BOUNDS = {
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-(2**7), 2**7 - 1),
    "nonNegativeInteger": (0, _INT64[1]),
    "positiveInteger": (1, _INT64[1]),
    "nonPositiveInteger": (_INT64[0], 0),
    "negativeInteger": (_INT64[0], -1),
    "unsignedLong": (0, _INT64[1]),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 2**8 - 1),
}
COLUMN_DATATYPES = frozenset(XSD + name for name in {*_OTHERS, *_MOMENTS, *_BOUNDS})
USUAL_DATATYPES = {
    ValueType.BOOLEAN: XSD + "boolean",
    ValueType.INTEGER: XSD + "integer",
    ValueType.DOUBLE: XSD + "double",
    ValueType.STRING: XSD + "string",
    ValueType.DATETIME: XSD + "dateTime",
    ValueType.TERM: XSD + "string",
}
"""The datatype of the literals of a type, where no annotation says another."""
EXACT_INTEGERS = 2**53
"""From here on a double cannot tell neighbouring integers apart."""


def short(datatype: str) -> str:
    """`xsd:double` for its IRI; other IRIs in angle brackets."""
    return f"xsd:{datatype.removeprefix(XSD)}" if datatype.startswith(XSD) else f"<{datatype}>"


def integer_bounds(datatype: str) -> tuple[int, int]:
    """Smallest and greatest value of an integer datatype; no column holds more than 64 bits."""
    return _BOUNDS.get(datatype.removeprefix(XSD), _INT64)


def datatype_of_range(prop: str, knowledge: KnowledgeBase) -> str | None:
    """The datatype of the values of `prop` (a valid IRI) by the knowledge base; `None`: it says none that fits."""
    ranges = select(knowledge.store, "SELECT ?prop ?range { ?prop rdfs:range ?range }", prop=NamedNode(prop))
    stated = {term.value for _, term in ranges if isinstance(term, NamedNode)} & COLUMN_DATATYPES
    if len(stated) == 1:
        return stated.pop()
    kind = knowledge.range_of(prop)
    return None if kind is ValueType.TERM else USUAL_DATATYPES.get(kind)


def canonical_text(values: pl.Series, kind: ValueType) -> pl.Series:
    """The canonical text of typed values, nulls kept: what event ids are made of.

    Integers in decimal, doubles as Python's `repr`, booleans `true` and `false`, moments as microseconds since the
    epoch, strings as they are.
    """
    match kind:
        case ValueType.DOUBLE:
            return double_text(values)
        case ValueType.DATETIME:
            return values.to_physical().cast(pl.String)
        case ValueType.BOOLEAN:
            return values.replace_strict([True, False], ["true", "false"], default=None, return_dtype=pl.String)
        case ValueType.INTEGER | ValueType.STRING | ValueType.DURATION | ValueType.IRI | ValueType.TERM:
            return values.cast(pl.String)
        case _:
            assert_never(kind)


def lexical_text(values: pl.Series, datatype: str) -> pl.Series:
    """The lexical form of typed values in an RDF literal of `datatype`, nulls kept."""
    match type_of_datatype(datatype):
        case ValueType.DATETIME:
            return values.dt.to_string("%Y-%m-%dT%H:%M:%S%.fZ")
        case ValueType.DOUBLE if datatype == XSD + "decimal":
            return _decimal_text(double_text(values))
        case ValueType.DOUBLE:
            text = double_text(values)
            return text.replace({"inf": "INF", "-inf": "-INF", "nan": "NaN"})
        case kind:
            return canonical_text(values, kind or ValueType.STRING)


def number_text(values: pl.Series) -> pl.Series:
    """Each double as text, a whole one as the integer that it is, as long as doubles tell integers apart.

    JSON does not distinguish 5.0 from 5, and whether a column holds doubles or integers depends on its other rows.
    """
    text = double_text(values)
    whole = (values == values.floor()) & (values.abs() < EXACT_INTEGERS)
    if not whole.any():
        return text
    integers = values.cast(pl.Int64, strict=False).cast(pl.String)
    return pl.select(pl.when(whole).then(integers).otherwise(text)).to_series()


def double_text(values: pl.Series) -> pl.Series:
    """Each double as Python's `repr` writes it: the shortest text that reads back as the same double.

    Polars writes the same digits; only where the exponent decides the notation, and for infinities and NaN, distinct
    values go through Python.
    """
    size = values.abs()
    plain = ((size >= 1e-4) & (size < 1e16)) | (values == 0.0)
    text = values.cast(pl.String)
    if plain.all():
        return text
    # Polars' own text of a double names it as well as the double itself, and NaN, unlike NaN, equals itself.
    others = pl.DataFrame({"text": text, "value": values}).filter(~plain).unique("text")
    return text.replace(others["text"], [repr(value) for value in others["value"]])


def _decimal_text(text: pl.Series) -> pl.Series:
    scientific = text.filter(text.str.contains("e", literal=True)).unique().to_list()
    return text.replace({t: format(Decimal(t), "f") for t in scientific}) if scientific else text
