"""From literals as written to constants: their types, and the values that their text stands for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import assert_never

from ... import syntax_tree as syntax
from ...literals import parse_double, parse_integer, parse_moment, parse_xsd_duration
from ...name_lookup import Names
from ...nodes import Constant, ValueType, type_of_datatype


def constant(names: Names, node: syntax.ConstantExpression) -> Constant:
    """The value of a literal, a quantity, or an IRI.

    Raises:
        QueryTypeError: an unknown prefix or datatype, or text that is no value of its datatype.
    """
    match node:
        case syntax.NumberLiteral(value=value):
            return Constant(value, ValueType.INTEGER if isinstance(value, int) else ValueType.DOUBLE, node.span)
        case syntax.BooleanLiteral(value=value):
            return Constant(value, ValueType.BOOLEAN, node.span)
        case syntax.DurationLiteral(value=value):
            return Constant(value, ValueType.DURATION, node.span)
        case syntax.QuantityLiteral(number=number, unit=unit):
            type_ = ValueType.INTEGER if isinstance(number.value, int) else ValueType.DOUBLE
            return Constant(number.value, type_, node.span, names.expand(unit))
        case syntax.PrefixedName() | syntax.Iri():
            return Constant(names.expand(node), ValueType.IRI, node.span)
        case syntax.StringLiteral():
            return _string(names, node)
        case _:
            assert_never(node)


def _string(names: Names, node: syntax.StringLiteral) -> Constant:
    if node.language is not None:
        return Constant(f"{_ntriples(node.value)}@{node.language}", ValueType.TERM, node.span)
    if node.datatype is None:
        return Constant(node.value, ValueType.STRING, node.span)
    iri = names.expand(node.datatype)
    type_ = type_of_datatype(iri)
    if type_ is None:
        message = f"values of datatype {names.compact(iri)} cannot be compared"
        raise names.source.type_error(
            node.datatype.span, message, "use a string, a number, a boolean, a dateTime or a duration"
        )
    try:
        return Constant(_typed(node.value, type_), type_, node.span)
    except ValueError as error:
        message = f"'{node.value}' is no {names.compact(iri)}"
        raise names.source.type_error(node.span, message, str(error)) from error


def _typed(text: str, type_: ValueType) -> bool | int | float | str | datetime | timedelta:
    match type_:
        case ValueType.BOOLEAN:
            if text not in ("true", "false", "0", "1"):
                raise ValueError("it is true or false")
            return text in ("true", "1")
        case ValueType.INTEGER:
            return parse_integer(text)
        case ValueType.DOUBLE:
            return parse_double(text)
        case ValueType.DATETIME:
            return parse_moment(text).astimezone(UTC)
        case ValueType.DURATION:
            return parse_xsd_duration(text)
        case ValueType.STRING | ValueType.IRI | ValueType.TERM:
            return text
        case _:
            assert_never(type_)


def _ntriples(text: str) -> str:
    written = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{written}"'
