"""Terms of RDF in; Python's values and columns of Arrow out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import assert_never

import pyarrow as pa
import pyoxigraph as ox

from ...language.nodes import ValueType, type_of_datatype

Value = bool | int | float | str | datetime | None
Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


def arrow_columns(columns: Mapping[str, Sequence[Term | None]]) -> pa.Table:
    """Return a table of columns of terms: int64, double, bool, timestamp[us, UTC], or string when types are mixed."""
    return pa.table({name: _arrow_column(terms) for name, terms in columns.items()})


def python_value(term: Term | None) -> Value:
    """Return an RDF term as a Python value; a literal whose text does not fit its datatype as that text."""
    if term is None:
        return None
    if not isinstance(term, ox.Literal):
        return term.value if isinstance(term, ox.NamedNode) else str(term)
    try:
        return _literal_value(term)
    except (ValueError, OverflowError):
        return term.value


def _literal_value(literal: ox.Literal) -> Value:
    kind = type_of_datatype(literal.datatype.value)
    match kind:
        case ValueType.BOOLEAN:
            return {"true": True, "1": True, "false": False, "0": False}.get(literal.value, literal.value)
        case ValueType.INTEGER:
            return int(literal.value)
        case ValueType.DOUBLE:
            return float(literal.value)
        case ValueType.DATETIME:
            moment = datetime.fromisoformat(literal.value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        case ValueType.STRING | ValueType.DURATION | ValueType.IRI | ValueType.TERM | None:
            return literal.value
        case _:
            assert_never(kind)


def _arrow_column(terms: Sequence[Term | None]) -> pa.Array:
    values = [python_value(term) for term in terms]
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        values, kinds = [None if v is None else float(v) for v in values if not isinstance(v, str | datetime)], {float}
    by_kind = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), datetime: pa.timestamp("us", tz="UTC")}
    if len(kinds) == 1 and (kind := by_kind.get(kinds.pop())) is not None:
        try:
            return pa.array(values, kind)
        except (pa.ArrowInvalid, OverflowError):
            pass  # an integer beyond 64 bits: the column is text
    return pa.array([None if t is None else _text(t) for t in terms], pa.string())


def _text(term: Term) -> str:
    return term.value if isinstance(term, ox.NamedNode | ox.Literal) else str(term)
