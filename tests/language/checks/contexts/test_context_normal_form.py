"""A set of contexts as text again."""

from __future__ import annotations

from dataclasses import replace

from kaicep.language.checks.contexts import context_set_text
from kaicep.language.checks.query_compiler import checked_document
from support.roads import ROADS


def test_the_text_of_a_set_does_not_depend_on_what_it_says_itself() -> None:
    text = "CREATE CONTEXTS r(a default,b during '23:00-01:30') by seg within(2026-01-01,)"
    [found] = checked_document(text, ROADS).sets
    expected = (
        'CREATE CONTEXTS r (a DEFAULT, b DURING "23:00-01:30" TIMEZONE "UTC") BY seg WITHIN (2026-01-01T00:00:00Z, )'
    )
    assert context_set_text(replace(found, normal="")) == found.normal == expected


def test_usual_bounds_are_not_written() -> None:
    [found] = checked_document("CREATE CONTEXTS r (a DEFAULT) WITHIN [now, )", ROADS).sets
    assert found.normal == "CREATE CONTEXTS r (a DEFAULT)"
