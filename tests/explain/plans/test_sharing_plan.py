"""From whom the state of a query comes."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.explain.plans.sharing_plan import describe_sharing
from kaicep.pipeline.flow import Registration
from support.timer_queries import CONTENT

TEXT = (
    "SELECT ?a.id FROM (?a, S), (?b, S) FILTER (?a.x > {}) SEQ (?a, ?b) JOIN (?b.x < {}.5 + ?a.x) WINDOW (?a, ?b, {}s)"
)
PROJECT = Project.parse(CONTENT)


def said(own: tuple[int, int, int], **others: tuple[int, int, int]) -> str:
    every = {name: PROJECT.compile(TEXT.format(*bounds))[0] for name, bounds in {"own": own, **others}.items()}
    found = describe_sharing(every["own"], [Registration(query, name) for name, query in every.items()])
    return " ".join(node.text for node in found)


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        ((1, 5, 5), {"wide": (1, 9, 9)}, "that of wide, which covers it"),
        ((1, 9, 9), {"narrow": (1, 5, 9)}, "its own, which covers those of the others"),
        ((1, 9, 5), {"long": (1, 5, 9)}, "that of the loosest bounds of all"),
    ],
)
def test_it_comes_from_the_loosest(
    own: tuple[int, int, int], others: dict[str, tuple[int, int, int]], expected: str
) -> None:
    assert said(own, **others).startswith(expected)
    assert next(iter(others)) in said(own, **others)


def test_what_differs_in_more_has_its_own() -> None:
    assert said((1, 5, 5), other=(2, 9, 9)) == ""
    assert said((1, 5, 5), same=(1, 5, 5)) == ""
