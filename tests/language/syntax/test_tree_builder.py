"""From the grammar's rules to the nodes of queries and their clauses."""

from __future__ import annotations

import pytest
from kaicep.language import parse_duration
from kaicep.language import syntax_tree as syntax
from kaicep.language.nodes import AfterMatchKind, Policy
from kaicep.language.syntax import parse_document
from support.syntax import query


def test_spans_are_places_in_the_text() -> None:
    text = "SELECT ?e.flowrate AS rate # x\nFILTER (?e.flowrate - 1 > 5)"
    found = query(text)
    [clause] = found.filters
    assert text[clause.span.start : clause.span.end] == "FILTER (?e.flowrate - 1 > 5)"
    assert text[clause.condition.span.start : clause.condition.span.end] == "?e.flowrate - 1 > 5"
    [item] = found.items
    assert text[item.span.start : item.span.end] == "?e.flowrate AS rate"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?b?", (0, 1)),
        ("?b ?", (0, 1)),
        ("?b+", (1, None)),
        ("?b*", (0, None)),
        ("?b{2}", (2, 2)),
        ("?b{2,}", (2, None)),
        ("?b{,3}", (0, 3)),
        ("?b{ 2 , 3 }", (2, 3)),
    ],
)
def test_quantifiers(text: str, expected: tuple[int, int | None]) -> None:
    [clause] = query(f"SELECT ?a.x SEQ (?a, {text}, ?c)").sequences
    assert isinstance(clause.pattern, syntax.PatternConcatenation)
    element = clause.pattern.parts[1]
    assert isinstance(element, syntax.PatternVariable)
    assert element.quantifier is not None
    assert (element.quantifier.minimum, element.quantifier.maximum) == expected


def test_documents_hold_prefixes_and_statements() -> None:
    parts = parse_document("PREFIX a: <http://a#>. SELECT ?e.x; CREATE QUERY q AS SELECT ?e.y PREFIX b: <http://b#>")
    assert [type(part).__name__ for part in parts] == ["Prefix", "Statement", "Statement", "Prefix"]


def test_clauses_are_told_apart() -> None:
    found = query(
        "SELECT DISTINCT ?a.x, ?b.* FROM (?a, s), (?b, t) WITHIN [now - 1h, 2026-01-01) "
        "PATH {?a ?p ?o} AND PATH {?b ?p ?o} FILTER (?a.x > 1) JOIN (?a.x = ?b.x) SEQ (?a => ?b) WINDOW (?a, ?b, 5min) "
        "PARTITION BY x, ex:y GROUP BY ?a.x HAVING ?a.x > 2 POLICY next AFTER MATCH SKIP TO LAST ?b LIMIT 3 "
        "OUTPUT FIRST EVERY 2 matches"
    )
    assert [type(item).__name__ for item in found.items] == ["SelectItem", "AllAttributes"]
    streams = [s.stream.text for s in found.sources if isinstance(s.stream, syntax.Name)]
    assert ([s.variable.name for s in found.sources], streams) == (["a", "b"], ["s", "t"])
    assert found.distinct
    assert found.within is not None
    assert (found.within.lower_inclusive, found.within.upper_inclusive) == (False, True)
    assert [type(path).__name__ for path in found.paths] == ["PathConjunction"]
    assert (len(found.filters), len(found.joins), len(found.sequences), len(found.windows)) == (1, 1, 1, 1)
    assert found.partition_by is not None
    assert [type(name).__name__ for name in found.partition_by.names] == ["Name", "PrefixedName"]
    assert found.group_by is not None
    assert found.having is not None
    assert found.policy is not None
    assert found.policy.policy is Policy.NEXT
    assert found.after_match is not None
    assert found.after_match.variable is not None
    assert (found.after_match.kind, found.after_match.variable.name) == (AfterMatchKind.TO_LAST, "b")
    assert found.limit is not None
    assert found.limit.count == 3
    assert found.output is not None
    assert (found.output.which, found.output.every.value) == ("FIRST", 2)


def test_what_is_left_out_is_none() -> None:
    found = query("SELECT ?e.x")
    assert (found.within, found.having, found.after_match, found.limit, found.output) == (None,) * 5
    assert (found.sources, found.paths, found.windows, found.distinct) == ((), (), (), False)


@pytest.mark.parametrize(
    ("text", "mode", "extents", "start"),
    [
        ("?a, ?b, 5min", "correlation", ["5min"], None),
        ("?a, sliding, 3 events", "sliding", [3], None),
        ("?a, batch, 1h, START first", "batch", ["1h"], "first"),
        ("?a, hopping, 1h, 5min", "hopping", ["1h", "5min"], None),
        ("?a, cumulate, 1h, 5min", "cumulate", ["1h", "5min"], None),
        ("?a, session, 30s", "session", ["30s"], None),
    ],
)
def test_windows(text: str, mode: str, extents: list[int | str], start: str | None) -> None:
    [window] = query(f"SELECT ?a.x WINDOW ({text})").windows
    assert (window.mode, window.start) == (mode, start)
    assert [e.value for e in window.extents] == [e if isinstance(e, int) else parse_duration(e) for e in extents]


def test_patterns_nest_as_their_operators_bind() -> None:
    """AND binds tighter than OR, both tighter than links; a plain parenthesis leaves no node."""
    [clause] = query("SELECT ?a.x SEQ (?a, ?b OR ?c AND NOT ?d FOR 5min -> (?e, ?f)+)").sequences
    assert isinstance(clause.pattern, syntax.PatternConcatenation)
    assert clause.pattern.links == (",", "->")
    _, either, group = clause.pattern.parts
    assert isinstance(either, syntax.PatternAlternation)
    assert [type(branch).__name__ for branch in either.branches] == ["PatternVariable", "PatternConjunction"]
    assert isinstance(group, syntax.QuantifiedPattern)
    [clause] = query("SELECT ?a.x SEQ ((?a))").sequences
    assert isinstance(clause.pattern, syntax.PatternVariable)
