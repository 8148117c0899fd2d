"""A FILTER as a condition on columns, and what of it the residual query computes."""

from __future__ import annotations

from datetime import UTC, datetime

import pyoxigraph as ox
import pytest
from kaicep.language.nodes import XSD, Column, ValueType, expression_text
from kaicep.semfilter.rules.filter_conditions import ColumnCondition, Operand, compile_condition, constant_value
from support.subqueries import subquery

COLUMNS = {
    name: (kind, XSD + datatype)
    for name, kind, datatype in (
        ("d", ValueType.DOUBLE, "double"),
        ("c", ValueType.DOUBLE, "decimal"),
        ("i", ValueType.INTEGER, "integer"),
        ("t", ValueType.STRING, "string"),
    )
}


def compiled(text: str) -> ColumnCondition | None:
    """`FILTER (text)` where `?d`, `?c`, `?i`, `?t` are columns, `?limit` is 5, and the rest is found by SPARQL."""
    asked = subquery(f"?e evt:hasSource ?s . ?s bd:limit ?x FILTER ({text})")
    operands = {
        name: Operand(Column("e", name, kind, asked.span), datatype) for name, (kind, datatype) in COLUMNS.items()
    }
    constants = {"limit": f'"5"^^<{XSD}integer>'}
    return compile_condition(asked.filters[0].algebra, operands, constants, asked, 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?d > 1", "?e.d > 1"),
        ("?i * 2 <= ?limit", "?e.i * 2 <= 5"),
        ('!(?t = "a")', 'NOT ?e.t = "a"'),
        ("?i = 1 || ?d < -1.5e0", "?e.i = 1 OR ?e.d < -1.5"),
        ("?i IN (1, 2)", "?e.i = 1 OR ?e.i = 2"),
    ],
)
def test_conditions_in_words(text: str, expected: str) -> None:
    found = compiled(text)
    assert found is not None
    assert expression_text(found.expression).replace("(", "").replace(")", "") == expected
    assert found.derived == ()


def test_what_the_rest_finds_is_derived_under_a_name_of_its_own() -> None:
    found = compiled("?d > ?x * 1.1")
    assert found is not None
    (derived,) = found.derived
    assert (derived.name, derived.variables, derived.type) == ("kaicep_3", frozenset({"x"}), ValueType.DOUBLE)
    assert expression_text(found.expression) == "?e.d > ?kaicep_3"


@pytest.mark.parametrize(
    "text", ["?c * 2 > 3", "?i / 2 > 1", "STRLEN(?t) > 1", '?t > "a"@en', "?d = ?x", "?d > ?t", "?d", "?d IN ()"]
)
def test_what_means_the_same_in_sparql_only(text: str) -> None:
    assert compiled(text) is None


@pytest.mark.parametrize(
    ("lexical", "datatype", "value"),
    [
        ("1", "boolean", True),
        ("07", "integer", 7),
        ("1.5", "decimal", 1.5),
        ("a", "string", "a"),
        ("2012-05-07T02:00:00+02:00", "dateTime", datetime(2012, 5, 7, tzinfo=UTC)),
        ("2012-05-07T02:00:00", "dateTime", None),
        ("0.1", "float", None),
        ("many", "integer", None),
    ],
)
def test_values_of_literals(lexical: str, datatype: str, value: object) -> None:
    """`None`: columns cannot be compared with it."""
    assert constant_value(ox.Literal(lexical, datatype=ox.NamedNode(XSD + datatype))) == value


def test_a_text_with_a_language_is_no_string() -> None:
    assert constant_value(ox.Literal("a", language="en")) is None
