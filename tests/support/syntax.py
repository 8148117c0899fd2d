"""Syntax trees of one query."""

from __future__ import annotations

from kaicep.language import syntax_tree as syntax
from kaicep.language.syntax import parse_document


def query(text: str) -> syntax.SelectQuery:
    """The one query of a text."""
    [statement] = parse_document(text)
    assert isinstance(statement, syntax.Statement)
    return statement.query


def condition(text: str) -> syntax.Expression:
    """An expression, as that of a FILTER."""
    [clause] = query(f"SELECT ?e.x FILTER ({text})").filters
    return clause.condition
