"""Any text is a document's syntax tree, or an error with its place and the way out."""

from __future__ import annotations

import string
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.errors import KaicepError, QuerySyntaxError
from kaicep.language.checks import compile_document
from kaicep.language.nodes import Vocabulary
from kaicep.language.syntax import parse_document, reserved_words
from kaicep.language.syntax.parsing_tables import grammar_parser
from support.text_pairs import cases
from support.vocabulary import CAMPUS, TWO_STREAMS


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


TEXTS = [case.text for case in cases("paper")]


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


@pytest.mark.slow
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


def test_the_grammar_is_read_once() -> None:
    """Its tables take longer to make than a thousand queries to read."""
    parse_document("SELECT ?e.x")
    made = grammar_parser.cache_info().misses
    for text in TEXTS:
        parse_document(text)
    assert grammar_parser.cache_info().misses == made == 1


def test_a_document_without_a_query_is_one() -> None:
    """Whether that will do is not the parser's to say."""
    assert parse_document("# nothing\n") == ()


@pytest.mark.parametrize("beginning", ['"""', "'", "x", "SELECT ?e.x FILTER (", "<", "PATH {"])
def test_a_document_of_any_length_is_refused_in_little_space(beginning: str) -> None:
    tracemalloc.start()
    with pytest.raises(QuerySyntaxError) as refused:
        parse_document(beginning + "x" * 99_000)
    assert len(str(refused.value)) < 5_000
    with pytest.raises(QuerySyntaxError, match="a document has at most 100,000 characters"):
        parse_document(beginning + "x" * 10_000_000)
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()


def test_the_words_of_the_language() -> None:
    assert {"SELECT", "FROM", "WHERE", "SEQ", "WITHIN", "CONTEXT"} <= reserved_words()
    assert all(word == word.upper() for word in reserved_words())
