"""Why a FILTER is true of an event, or by how much it is not."""

from __future__ import annotations

import pyarrow as pa
import pytest
from kaicep.explain.reasons import FilterWording, Reason, explain_filter
from support.letters import project, stream


def told(condition: str, letters: str) -> Reason:
    """The reason for the first of some letters; several letters stand for solutions of one."""
    text = f"SELECT ?e.x FROM (?e, letters) FILTER ({condition})"
    (query,) = project().compile(text)
    (test,) = query.sources[0].filters
    rows = project().annotators["letters"].annotate(pa.Table.from_pylist(stream(letters)["letters"])).events
    return explain_filter(test, rows, FilterWording(lambda span: text[span.start : span.end], lambda iri: f"<{iri}>"))


@pytest.mark.parametrize(
    ("condition", "note"),
    [
        ("?e.x > 5", "?e.x is 3, 2 below"),
        ("?e.x = 1 + 1", "?e.x is 3, 1 + 1 is 2, 1 above"),
        ("?e.x * 2 != 6", "?e.x * 2 is 6, equal"),
        ("?e.kind = 'b'", '?e.kind is "a"'),
        ("?e.x IN (1, 7, 4)", "?e.x is 3; nearest: 4"),
        ("?e.kind IN ('aa', 'z')", '?e.kind is "a"; nearest: "aa"'),
        ("?e.group = 'g'", "?e.group is unbound"),
        ("BOUND(?e.group)", "?e.group is unbound"),
    ],
)
def test_what_misses_is_told_by_how_much(condition: str, note: str) -> None:
    reason = told(condition, "a3")
    assert (reason.holds, reason.note) == (False, note)


def test_what_holds_is_told_too() -> None:
    reason = told("?e.x >= 3", "a3")
    assert (reason.text, reason.holds, reason.note) == ("FILTER (?e.x >= 3)", True, "?e.x is 3, equal")


def test_and_and_or_have_parts() -> None:
    reason = told("?e.x > 5 AND ?e.x > 2 AND (?e.kind = 'b' OR ?e.kind = 'a')", "a3")
    assert [(part.text, part.holds) for part in reason.parts[:2]] == [("?e.x > 5", False), ("?e.x > 2", True)]
    assert (reason.parts[2].text, reason.parts[2].holds) == ("any of", True)


def test_of_several_solutions_the_nearest_is_told() -> None:
    assert told("?e.x > 5", "a1 a4 a2").note == "?e.x is 4, 1 below (the nearest of 3 solutions)"
    assert told("?e.x > 3", "a1 a4 a2").holds
