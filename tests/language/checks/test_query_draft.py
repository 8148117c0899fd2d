"""A query whose clauses are resolved: its shape."""

from __future__ import annotations

import pytest
from kaicep.language import Names, SourceText
from kaicep.language.checks.pattern_checks import resolve_pattern
from kaicep.language.checks.query_draft import Draft
from kaicep.language.checks.resolution import Scope
from kaicep.language.nodes import (
    Kind,
    Policy,
)
from support.syntax import query
from support.vocabulary import AIRFLOW, CAMPUS, compiled

NAMES = Names(SourceText("query", ""), {}, CAMPUS)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT ?e.sensorID", Kind.SELECTION),
        ("SELECT COUNT(?e) WINDOW (?e, sliding, 5min)", Kind.AGGREGATION),
        ("SELECT ?e.sensorID WINDOW (?e, sliding, 5min) HAVING COUNT(?e) > 1", Kind.AGGREGATION),
        ("SELECT ?a.sensorID WINDOW (?a, ?b, 5min)", Kind.PATTERN),
        ("SELECT ?a.sensorID SEQ (?a)", Kind.PATTERN),
    ],
)
def test_kind(text: str, kind: Kind) -> None:
    assert compiled(text).kind is kind


@pytest.mark.parametrize(
    ("pattern", "quantified", "matched"),
    [
        ("?a, ?b", {}, ("a", "b")),
        ("?a, NOT ?n, ?b+", {"b": True}, ("a", "b")),
        ("(?a, ?b?)+", {"a": True, "b": True}, ("a", "b")),
        ("?a, ?b?", {"b": False}, ("a", "b")),
    ],
)
def test_what_a_pattern_makes_of_its_variables(
    pattern: str, quantified: dict[str, bool], matched: tuple[str, ...]
) -> None:
    """Quantified: whether it may bind several events; under NOT: it binds none."""
    [clause] = query(f"SELECT ?a.x SEQ ({pattern})").sequences
    names = [name for name in ("a", "n", "b") if f"?{name}" in pattern]
    scope = Scope(NAMES, dict.fromkeys(names, AIRFLOW), {})
    checked = resolve_pattern(scope, clause, Policy.ANY)
    draft = Draft(query("SELECT ?a.x"), tuple(names), (), (), (), checked, (), (), None, None)
    assert (dict(draft.quantified), draft.matched) == (quantified, matched)
    assert draft.kind is Kind.PATTERN
