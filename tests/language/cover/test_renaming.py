"""Variables by the names that they have in another query."""

from __future__ import annotations

from kaicep import Project
from kaicep.language.cover.renaming import Renaming, shape_of
from kaicep.language.nodes import expression_text

_NUMBER = {"v": {"datatype": "xsd:integer"}}
PROJECT = Project.parse({
    "streams": {"S": {"event_type": "<urn:R>", "time": {"attribute": "t"}, "attributes": _NUMBER}},
})  # fmt: skip
TEXT = (
    "SELECT ?a.v FROM (?a, S), (?b, S), (?n, S) PATH { ?a <urn:p> ?c } JOIN (?a.v + 1 < ?b.v AND ?c != <urn:x>) "
    "SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 9s)"
)


def test_expressions_are_renamed_with_semantic_variables() -> None:
    (query,) = PROJECT.compile(TEXT)
    renaming = Renaming({"a": "x", "b": "y"}, {("a", "c"): "z"})
    assert expression_text(renaming.of(query.joins[0])) == expression_text(query.joins[0]).replace("?a", "?x").replace(
        "?b", "?y"
    ).replace("?c", "?z")
    assert renaming.covers(frozenset("ab"))
    assert not renaming.covers(frozenset("an"))


def test_patterns_and_windows_of_the_same_shape_differ_in_names_alone() -> None:
    (one,) = PROJECT.compile(TEXT)
    (other,) = PROJECT.compile(TEXT.replace("?a", "?x").replace("?n", "?m"))
    names = {"a": "x", "n": "m", "b": "b"}
    assert shape_of(one.pattern, names) == shape_of(other.pattern, {})
    assert shape_of(one.windows, names) == shape_of(other.windows, {})
    assert shape_of(one.pattern, {}) != shape_of(other.pattern, {})
