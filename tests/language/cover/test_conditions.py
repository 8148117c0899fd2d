"""What follows from conditions that are true, and what does not."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.language.cover.conditions import Facts
from kaicep.language.nodes import Expression

_NUMBERS = {name: {"datatype": "xsd:integer"} for name in ("v", "w")} | {"s": {"datatype": "xsd:string"}}
PROJECT = Project.parse({
    "streams": {"S": {"event_type": "<urn:R>", "time": {"attribute": "t"}, "attributes": _NUMBERS}},
})  # fmt: skip


def implies(known: str, goal: str) -> bool:
    of = [
        PROJECT.compile(f"SELECT ?e.v FROM (?e, S) FILTER ({text})")[0].sources[0].filters[0] for text in (known, goal)
    ]
    return Facts(of[:1]).imply(of[1])


@pytest.mark.parametrize(
    ("known", "goal"),
    [
        ("?e.v < 3", "?e.v < 5"),
        ("?e.v < 3", "3 >= ?e.v"),
        ("2 >= ?e.v", "?e.v < 3"),
        ("?e.v < 3", "?e.v != 3"),
        ("?e.v > 3", "?e.v NOT IN (1, 2)"),
        ("?e.v = 2", "?e.v IN (1, 2)"),
        ("?e.v = 2", "?e.v >= 1.5"),
        ("?e.v IN (1, 2)", "?e.v < 3"),
        ("?e.s = 'a'", "?e.s IN ('a', 'b')"),
        ("?e.v = ?e.w AND ?e.w < 3", "?e.v < 4"),
        ("?e.v < ?e.w", "?e.w >= ?e.v"),
        ("?e.v < ?e.w", "?e.w != ?e.v"),
        ("?e.v > 1 AND ?e.w > 1", "?e.w > 0"),
        ("?e.v > 4 OR ?e.v = 3", "?e.v >= 3"),
        ("?e.v > 4", "?e.v > 3 OR ?e.w = 1"),
        ("?e.v + 1 > 4", "?e.v + 1 > 3"),
        ("?e.v + ?e.w > 4", "BOUND(?e.w)"),
        ("REGEX(?e.s, 'a')", "REGEX(?e.s, 'a')"),
    ],
)
def test_what_follows(known: str, goal: str) -> None:
    assert implies(known, goal)


@pytest.mark.parametrize(
    ("known", "goal"),
    [
        ("?e.v < 5", "?e.v < 3"),
        ("?e.v < 3", "?e.v > 1"),
        ("2.5 >= ?e.v", "?e.v < 2.5"),
        ("?e.v != 2", "?e.v != 3"),
        ("?e.v IN (1, 4)", "?e.v < 3"),
        ("?e.v > 4 OR ?e.w = 3", "?e.v >= 3"),
        ("?e.v <= ?e.w", "?e.v < ?e.w"),
        ("?e.v < ?e.w", "?e.w < ?e.v"),
        ("NOT (?e.v < 3)", "?e.v >= 3"),
        ("?e.v > 4 OR ?e.w > 4", "BOUND(?e.w)"),
        ("?e.s = 'a'", "?e.s < 'a'"),
    ],
)
def test_what_does_not(known: str, goal: str) -> None:
    assert not implies(known, goal)


def test_an_iri_is_no_text_and_large_integers_are_no_doubles() -> None:
    """A text with the same letters is another value; a double near an integer is not that."""
    rows = "CREATE QUERY q AS SELECT ?v FROM (?e, S) PATH { ?e <urn:of> ?v };"

    def of(text: str) -> Facts:
        return Facts(PROJECT.compile(f"{rows} SELECT ?q.v FROM (?q, q) FILTER ({text})")[1].sources[0].filters)

    def goal(text: str) -> Expression:
        return PROJECT.compile(f"{rows} SELECT ?q.v FROM (?q, q) FILTER ({text})")[1].sources[0].filters[0]

    assert of("?q.v = <urn:a>").imply(goal("?q.v IN (<urn:a>, <urn:b>)"))
    assert not of("?q.v = 'urn:a'").imply(goal("?q.v = <urn:a>"))
    assert not of("?q.v = <urn:a>").imply(goal("?q.v IN ('urn:a', 'b')"))
    assert not implies("?e.v = 9007199254740993", "?e.v > 9007199254740992.0")
    assert implies("?e.v >= 9007199254740994", "?e.v > 9007199254740993")
