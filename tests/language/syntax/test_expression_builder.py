"""From the grammar's rules to the nodes of expressions."""

from __future__ import annotations

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.language import Span
from kaicep.language import syntax_tree as syntax
from kaicep.language.syntax import prefixed
from support.syntax import condition, query

HERE = Span(0, 0)


@pytest.mark.parametrize("name", ["select", "filter", "day", "first", "now", "not", "in", "_x", "größe", "AND"])
def test_every_keyword_is_a_name_where_only_a_name_can_stand(name: str) -> None:
    [item] = query(f"SELECT ?e.{name} AS {name}").items
    assert isinstance(item, syntax.SelectItem)
    assert isinstance(item.value, syntax.AttributeReference)
    assert item.value.name == syntax.Name(name, span=Span(10, 10 + len(name)))
    assert item.name is not None
    assert item.name.text == name
    stream = query(f"SELECT ?e.a FROM (?e, {name})").sources[0].stream
    assert isinstance(stream, syntax.Name)
    assert stream.text == name


def test_a_less_than_sign_is_no_iri() -> None:
    [clause] = query("SELECT ?e.x FILTER (5<?e.x)").filters
    assert isinstance(clause.condition, syntax.BinaryExpression)
    [clause] = query("SELECT ?e.x FILTER ((?e.x<5)OR(?e.y>3))").filters
    assert isinstance(clause.condition, syntax.BinaryExpression)
    assert clause.condition.operator == "OR"


def test_a_number_before_a_name_is_a_quantity() -> None:
    for written in (
        "500 unit:FT3-PER-MIN",
        "500unit:FT3-PER-MIN",
        ".5e1unit:DEG_C",
        "500 <http://qudt.org/vocab/unit/FT3-PER-MIN>",
    ):
        [clause] = query(f"SELECT ?e.x FILTER (?e.x > {written})").filters
        assert isinstance(clause.condition, syntax.BinaryExpression)
        assert isinstance(clause.condition.right, syntax.QuantityLiteral)


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("1 + 2 * 3 > 4 AND true OR false", "(((1 + (2 * 3)) > 4) AND True) OR False"),
        ("1 - 2 - 3 = 4", "((1 - 2) - 3) = 4"),
        ("NOT true AND false", "(NOT True) AND False"),
        ("-1 * 2 < 3", "((- 1) * 2) < 3"),
        ("(1 + 2) * 3 < 4", "((1 + 2) * 3) < 4"),
        ("1 IN (1, -2)", "1 IN (1, (- 2))"),
        ("1 NOT IN (2)", "1 NOT IN (2)"),
        ("true && false || true", "(True AND False) OR True"),
    ],
)
def test_operators_bind_as_in_sparql(text: str, grouped: str) -> None:
    assert _grouped(condition(text)) == f"({grouped})"


def _grouped(node: syntax.Expression) -> str:
    match node:
        case syntax.UnaryExpression(operator=operator, operand=operand):
            return f"({operator} {_grouped(operand)})"
        case syntax.BinaryExpression(operator=operator, left=left, right=right):
            return f"({_grouped(left)} {operator} {_grouped(right)})"
        case syntax.InPredicate(operand=operand, options=options, negated=negated):
            return f"({_grouped(operand)} {'NOT ' * negated}IN ({', '.join(map(_grouped, options))}))"
        case syntax.NumberLiteral(value=value) | syntax.BooleanLiteral(value=value):
            return str(value)
        case _:
            raise AssertionError(node)


def test_strings_have_their_escapes_resolved() -> None:
    found = condition('"a\\nb\\u00e9"@en')
    assert isinstance(found, syntax.StringLiteral)
    assert (found.value, found.language, found.datatype) == ("a\nbé", "en", None)
    found = condition("'5'^^xsd:integer")
    assert isinstance(found, syntax.StringLiteral)
    assert found.datatype == syntax.PrefixedName("xsd", "integer", span=found.datatype.span if found.datatype else HERE)


def test_calls_say_what_stands_before_and_inside_them() -> None:
    found = condition("RUNNING count(DISTINCT ?e.x) > 1")
    assert isinstance(found, syntax.BinaryExpression)
    call = found.left
    assert isinstance(call, syntax.FunctionCall)
    assert (call.function.text, call.running, call.distinct, len(call.arguments)) == ("COUNT", True, True, 1)


def test_a_literal_without_a_value_is_refused_at_its_place() -> None:
    with pytest.raises(QuerySyntaxError, match="'9223372036854775808' is no integer") as caught:
        condition("?e.x = 9223372036854775808")
    assert caught.value.place is not None
    assert (caught.value.place.column, caught.value.hint) == (28, "integers have 64 bits")


def test_escapes_of_local_names_are_resolved() -> None:
    assert prefixed(r"ex:a\.b\-c", HERE) == syntax.PrefixedName("ex", "a.b-c", span=HERE)
