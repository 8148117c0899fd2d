"""A FILTER's expression in rdflib's algebra → a checked expression over columns, where that means the same.

What is refused stays in SPARQL: functions, strings with a language, moments without a zone, xsd:float, and arithmetic
whose result SPARQL computes in decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from typing import Literal as OneOf

import pyoxigraph as ox
from rdflib import Literal, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from ...language import Span
from ...language.nodes import (
    XSD,
    Binary,
    BinaryOperator,
    Binding,
    Column,
    Constant,
    Expression,
    Subquery,
    Unary,
    ValueType,
    type_of_datatype,
)
from ..plan import DerivedValue
from ..sparql_text import literal
from ..term_values import moment_value

Kind = OneOf["integer", "decimal", "double", "other"]
Value = bool | int | float | str | datetime


@dataclass(frozen=True, slots=True)
class Operand:
    """A variable that is a column: its expression, and its datatype."""

    column: Column
    datatype: str


@dataclass(frozen=True, slots=True)
class ColumnCondition:
    """A condition on columns, and what the remaining SPARQL has to compute for it."""

    expression: Expression
    derived: tuple[DerivedValue, ...]


def compile_condition(
    algebra: object, columns: Mapping[str, Operand], constants: Mapping[str, str], subquery: Subquery, number: int
) -> ColumnCondition | None:
    """Compile a FILTER; `None`: it means the same in SPARQL only.

    Args:
        algebra: rdflib's algebra of its expression.
        columns: the variables that are columns.
        constants: SPARQL text of the values of variables that have one.
        subquery: where it stands.
        number: how many derived values there are already.
    """
    compiler = _Compiler(columns, constants, subquery, number)
    try:
        return ColumnCondition(compiler.truth(algebra), tuple(compiler.derived))
    except _RefusedError:
        return None


class _RefusedError(Exception):
    """Unwinds the compiler; never leaves this module."""


@dataclass(slots=True)
class _Compiler:
    columns: Mapping[str, Operand]
    constants: Mapping[str, str]
    subquery: Subquery
    number: int
    derived: list[DerivedValue] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return self.subquery.span

    def truth(self, node: object) -> Expression:
        """A boolean expression: comparisons joined by AND, OR and NOT."""
        if not isinstance(node, CompValue):
            raise _RefusedError
        match node.name:
            case "ConditionalAndExpression":
                return self._joined("AND", node)
            case "ConditionalOrExpression":
                return self._joined("OR", node)
            case "UnaryNot":
                return Unary("NOT", self.truth(node.expr), ValueType.BOOLEAN, self.span)
            case "RelationalExpression":
                return self._relation(node)
            case _:
                raise _RefusedError

    def _joined(self, operator: OneOf["AND", "OR"], node: CompValue) -> Expression:
        result = self.truth(node.expr)
        for other in node.other:
            result = Binary(operator, result, self.truth(other), ValueType.BOOLEAN, self.span)
        return result

    def _relation(self, node: CompValue) -> Expression:
        match node.op:
            case "IN" | "NOT IN" if isinstance(node.other, list) and node.other:
                equal = [self._comparison("=", node.expr, option) for option in node.other]
                any_equal = reduce(lambda a, b: Binary("OR", a, b, ValueType.BOOLEAN, self.span), equal)
                return any_equal if node.op == "IN" else Unary("NOT", any_equal, ValueType.BOOLEAN, self.span)
            case "=" | "!=" | "<" | "<=" | ">" | ">=":
                return self._comparison(node.op, node.expr, node.other)
            case _:
                raise _RefusedError

    def _comparison(self, operator: BinaryOperator, one: object, other: object) -> Expression:
        sides = one, other
        found = [self._computed(side) if self._is_found(side) else self._value(side)[0] for side in sides]
        left, right = found
        if isinstance(left, Binding) and isinstance(right, Binding):
            raise _RefusedError
        if isinstance(left, Binding) or isinstance(right, Binding):
            # Of a value that turns out to be no number, `<` is an error (not true), while `!=` may be true.
            value = right if isinstance(left, Binding) else left
            if operator in ("=", "!=") or not value.type.numeric:
                raise _RefusedError
        elif left.type is not right.type and not (left.type.numeric and right.type.numeric):
            raise _RefusedError
        return Binary(operator, left, right, ValueType.BOOLEAN, self.span)

    def _is_found(self, node: object) -> bool:
        """Whether an expression speaks of variables that the rest of the subquery finds, and of no column."""
        names = {str(v) for v in _variables(node)}
        return bool(names - self.constants.keys()) and not names & self.columns.keys()

    def _computed(self, node: object) -> Expression:
        """The value of an expression over what the rest finds, as a column of numbers (null: no number, or error)."""
        names = frozenset(str(v) for v in _variables(node))
        name = f"kaicep_{self.number + len(self.derived)}"
        self.derived.append(DerivedValue(name, _text(node), names, ValueType.DOUBLE))
        return Binding(self.subquery.variable, name, ValueType.DOUBLE, self.span)

    def _value(self, node: object) -> tuple[Expression, Kind]:
        """A value made of columns and constants."""
        match node:
            case Variable() if str(node) in self.columns:
                operand = self.columns[str(node)]
                return operand.column, _kind(operand.datatype)
            case Variable() if str(node) in self.constants:
                term = ox.parse(f"<urn:s> <urn:p> {self.constants[str(node)]} .", format=ox.RdfFormat.N_TRIPLES)
                return self._constant(next(iter(term)).triple.object)
            case Literal():
                return self._constant(literal(node))
            case CompValue(name="AdditiveExpression" | "MultiplicativeExpression"):
                return self._arithmetic(node)
            case CompValue(name="UnaryMinus"):
                value, kind = self._value(node.expr)
                if kind == "other":
                    raise _RefusedError
                return Unary("-", value, value.type, self.span), kind
            case _:
                raise _RefusedError

    def _constant(self, term: object) -> tuple[Expression, Kind]:
        if not isinstance(term, ox.Literal) or (value := constant_value(term)) is None:
            raise _RefusedError
        datatype = term.datatype.value
        return Constant(value, type_of_datatype(datatype) or ValueType.TERM, self.span), _kind(datatype)

    def _arithmetic(self, node: CompValue) -> tuple[Expression, Kind]:
        result, kind = self._value(node.expr)
        for operator, other in zip(node.op, node.other, strict=True):
            right, right_kind = self._value(other)
            result, kind = self._binary(operator, result, kind, right, right_kind)
        return result, kind

    def _binary(
        self, operator: BinaryOperator, left: Expression, of_left: Kind, right: Expression, of_right: Kind
    ) -> tuple[Expression, Kind]:
        kinds = {of_left, of_right}
        if "other" in kinds:
            raise _RefusedError
        if "double" in kinds:
            return Binary(operator, left, right, ValueType.DOUBLE, self.span), "double"
        if kinds == {"integer"} and operator != "/":
            return Binary(operator, left, right, ValueType.INTEGER, self.span), "integer"
        raise _RefusedError


def constant_value(term: ox.Literal) -> Value | None:
    """The value of a literal that columns can be compared with; `None`: it means the same in SPARQL only."""
    datatype = term.datatype.value
    if term.language is not None:
        return None
    try:
        match type_of_datatype(datatype):
            case ValueType.BOOLEAN:
                return {"true": True, "1": True, "false": False, "0": False}.get(term.value)
            case ValueType.INTEGER:
                return int(term.value)
            case ValueType.DOUBLE if datatype != XSD + "float":
                return float(term.value)
            case ValueType.STRING if datatype == XSD + "string":
                return term.value
            case ValueType.DATETIME if term.value.endswith("Z") or term.value[-6:-5] in ("+", "-"):
                return moment_value(term.value)
            case _:
                return None
    except ValueError:
        return None


def _kind(datatype: str) -> Kind:
    kind = type_of_datatype(datatype)
    if kind is ValueType.INTEGER:
        return "integer"
    if kind is ValueType.DOUBLE:
        return "decimal" if datatype == XSD + "decimal" else "double"
    return "other"


def _variables(node: object) -> set[Variable]:
    match node:
        case Variable():
            return {node}
        case CompValue():
            return {v for key, child in node.items() if key != "_vars" for v in _variables(child)}
        case list():
            return {v for child in node for v in _variables(child)}
        case _:
            return set()


def _text(node: object) -> str:
    """SPARQL text of arithmetic over variables and literals."""
    match node:
        case Variable():
            return f"?{node}"
        case Literal():
            return str(literal(node))
        case CompValue(name="AdditiveExpression" | "MultiplicativeExpression"):
            rest = (f" {operator} {_text(other)}" for operator, other in zip(node.op, node.other, strict=True))
            return f"({_text(node.expr)}{''.join(rest)})"
        case CompValue(name="UnaryMinus"):
            return f"(- {_text(node.expr)})"
        case _:
            raise _RefusedError
