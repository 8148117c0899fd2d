"""What is told apart before names mean anything."""

from __future__ import annotations

import string
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.errors import KaicepError, QuerySyntaxError
from kaicep.language import Span
from kaicep.language import syntax_tree as syntax
from kaicep.language.checks import compile_document
from kaicep.language.nodes import Vocabulary
from kaicep.language.source_text import SourceText
from kaicep.language.syntax import parse_document
from kaicep.language.syntax.scanner import MASK, mask
from support.vocabulary import CAMPUS, TWO_STREAMS


def query(text: str) -> syntax.SelectQuery:
    [statement] = parse_document(text)
    assert isinstance(statement, syntax.Statement)
    return statement.query


def body(text: str) -> str:
    [path] = query(text).paths
    assert isinstance(path, syntax.PathClause)
    return text[path.body.start : path.body.end]


@pytest.mark.parametrize(
    "inside",
    [
        "?e a ?x",
        "{ { } } {}",
        "?e a \"}\" , '}'",
        '?e a """}\n"}"""',
        "?e a <http://x.org/#}> . # }\n ?x a ?y",
        "?e <http://x.org/a#b> ?x # { {\n",
        "# }\n",
    ],
)
def test_a_path_ends_at_its_matching_brace(inside: str) -> None:
    """Outside strings, IRIs and comments; a `#` in an IRI is no comment."""
    inside = inside.replace("#}>", "#b>")
    assert body(f"SELECT ?e.x PATH {{{inside}}} FILTER (?e.y > 5)") == inside


def test_words_that_look_like_path_are_none() -> None:
    """After `.` and after AS every keyword is a plain name, and a variable is a variable."""
    found = query("SELECT ?e.path AS path, ?path FROM (?path, path) {}")
    assert [item.name.text if item.name else None for item in found.items if isinstance(item, syntax.SelectItem)] == [
        "path",
        None,
    ]
    assert found.paths == ()


def test_masking_keeps_every_place() -> None:
    text = "SELECT ?e.x # PATH {\nPATH # { \n{ ?e a ?b } FILTER (?e.y = 'PATH { # ')"
    masked = mask(SourceText("query", text))
    assert len(masked) == len(text)
    assert MASK * 9 in masked
    assert masked.endswith("FILTER (?e.y = 'PATH { # ')")
    assert "#" not in masked.removesuffix("# ')")


def test_spans_are_places_in_the_text() -> None:
    text = "SELECT ?e.flowrate AS rate # x\nFILTER (?e.flowrate - 1 > 5)"
    found = query(text)
    [clause] = found.filters
    assert text[clause.span.start : clause.span.end] == "FILTER (?e.flowrate - 1 > 5)"
    assert text[clause.condition.span.start : clause.condition.span.end] == "?e.flowrate - 1 > 5"
    [item] = found.items
    assert text[item.span.start : item.span.end] == "?e.flowrate AS rate"


@pytest.mark.parametrize("name", ["select", "filter", "day", "first", "now", "not", "in", "_x", "größe", "AND"])
def test_every_keyword_is_a_name_where_only_a_name_can_stand(name: str) -> None:
    [item] = query(f"SELECT ?e.{name} AS {name}").items
    assert isinstance(item, syntax.SelectItem)
    assert isinstance(item.value, syntax.AttributeReference)
    assert item.value.name == syntax.Name(name, span=Span(10, 10 + len(name)))
    assert item.name is not None
    assert item.name.text == name
    assert query(f"SELECT ?e.a FROM (?e, {name})").sources[0].stream.text == name


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


def test_a_less_than_sign_is_no_iri() -> None:
    [clause] = query("SELECT ?e.x FILTER (5<?e.x)").filters
    assert isinstance(clause.condition, syntax.BinaryExpression)
    [clause] = query("SELECT ?e.x FILTER ((?e.x<5)OR(?e.y>3))").filters
    assert isinstance(clause.condition, syntax.BinaryExpression)
    assert clause.condition.operator == "OR"


def test_a_number_before_a_name_is_a_quantity() -> None:
    for written in (
        "500 unit:FT3-PER-MIN",
        "500unit:FT3-PER-MIN",
        ".5e1unit:DEG_C",
        "500 <http://qudt.org/vocab/unit/FT3-PER-MIN>",
    ):
        [clause] = query(f"SELECT ?e.x FILTER (?e.x > {written})").filters
        assert isinstance(clause.condition, syntax.BinaryExpression)
        assert isinstance(clause.condition.right, syntax.QuantityLiteral)


def test_documents_hold_prefixes_and_statements() -> None:
    parts = parse_document("PREFIX a: <http://a#>. SELECT ?e.x; CREATE QUERY q AS SELECT ?e.y PREFIX b: <http://b#>")
    assert [type(part).__name__ for part in parts] == ["Prefix", "Statement", "Statement", "Prefix"]


def test_an_ordinary_query_is_read_in_a_few_milliseconds() -> None:
    text = cases_of_the_paper()[-1]
    parse_document(text)
    start = time.perf_counter()
    for _ in range(20):
        parse_document(text)
    assert (time.perf_counter() - start) / 20 < 0.02


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?e.x FILTER (" + " OR ".join(["?e.x = 1"] * 3000) + ")",
        "SELECT ?e.x FILTER (" + "NOT " * 3000 + "true)",
        "SELECT ?e.x FILTER (" + "-" * 3000 + "5 > 1)",
        "SELECT ?e.x FILTER (" + " + ".join(["?e.flowrate"] * 3000) + " > 1)",
        "SELECT ?e.x PATH {" + "{" * 400 + "?e a ?x" + "}" * 400 + "}",
    ],
    ids=["OR", "NOT", "minus", "sum", "groups"],
)
def test_what_is_too_long_is_an_error_too(text: str) -> None:
    with pytest.raises(QuerySyntaxError, match=r"too (long|deeply)"):
        compile_document(text.replace("?e.x", "?e.flowrate"), CAMPUS)


def cases_of_the_paper() -> list[str]:
    content = (Path(__file__).parents[1] / "cases" / "paper.chi").read_text(encoding="utf-8")
    return [block.partition("\n---\n")[0].partition("\n")[2] for block in ("\n" + content).split("\n=== ")[1:]]


TEXTS = cases_of_the_paper()
PIECES = [
    *("PATH", "{", "}", "(", ")", "?e", "?e.flowrate", "?b+", "~", "FILTER", "JOIN", "SEQ", "WINDOW", ",", "->", "=>"),
    *("5min", "500", "unit:X", '"a"', "'", '"', "#", "<http://x#y>", "<", "NOT", "AND", "OR", "AVG(?e.flowrate)"),
    *("GROUP BY", "IN", "now", "[", "]", "WITHIN", "AS", "evt:hasSource", "a", "OPTIONAL", "UNION", "SELECT", "{2,3}"),
    *(";", ".", "$e", "\\", "\\u007D", "\t", "\x00", "5e400", "FOR", "UNTIL", "LIMIT", "VALUES", "BIND", "EXISTS"),
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 12)))
        characters = st.one_of(st.text(string.printable, max_size=4), st.text(max_size=2))
        piece = draw(st.one_of(st.just(""), st.sampled_from(PIECES), characters))
        text = text[:start] + piece + text[stop:]
    return text


@settings(max_examples=200, deadline=None)  # the first example builds grammars
@given(mutated(), st.sampled_from([CAMPUS, TWO_STREAMS]))
def test_a_mutated_text_is_a_query_or_an_error_with_place_and_hint(text: str, vocabulary: Vocabulary) -> None:
    """Nothing but a KaicepError ever comes out, and it says where and what to do."""
    error = refusal(text, vocabulary)
    if error is not None:
        assert error.place is not None
        assert error.place.line >= 1
        assert error.hint
        assert str(error)


def refusal(text: str, vocabulary: Vocabulary) -> KaicepError | None:
    try:
        compile_document(text, vocabulary)
    except KaicepError as error:
        return error
    return None
