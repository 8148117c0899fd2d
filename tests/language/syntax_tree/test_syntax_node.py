"""The syntax tree is walked from a node to all below it."""

from __future__ import annotations

from kaicep.language import syntax_tree as syntax
from support.syntax import condition, query


def test_a_walk_meets_every_node_outermost_first() -> None:
    found = [type(node).__name__ for node in syntax.walk(condition("NOT (?e.x IN (1, 2))"))]
    assert found == [
        "UnaryExpression",
        "InPredicate",
        "AttributeReference",
        "Variable",
        "Name",
        "NumberLiteral",
        "NumberLiteral",
    ]


def test_a_walk_goes_through_all_clauses() -> None:
    """Also through conditions inside patterns."""
    tree = query("SELECT ?a.x SEQ (?a, (?b{2} UNTIL (?b.y > 5))+) WINDOW (?a, ?b, 5min) GROUP BY ?a.z HAVING ?a.w > 1")
    names = {node.text for node in syntax.walk(tree) if isinstance(node, syntax.Name)}
    assert names == {"x", "y", "z", "w"}
    assert sum(isinstance(node, syntax.PatternVariable) for node in syntax.walk(tree)) == 2
