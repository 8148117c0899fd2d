"""Errors point into the text of a document."""

from __future__ import annotations

from kaicep.errors import QuerySyntaxError, QueryTypeError
from kaicep.language import SourceText, Span
from kaicep.language.source_text import listed

TEXT = SourceText("query.chi", "SELECT ?e.x\n  FILTER (?e.y\n > 5)")


def test_errors_have_the_place_of_their_span() -> None:
    for error, kind in [
        (TEXT.syntax_error(Span(14, 20), "no", "mend it"), QuerySyntaxError),
        (TEXT.type_error(Span(14, 20), "no", "mend it"), QueryTypeError),
    ]:
        assert isinstance(error, kind)
        assert str(error) == "query.chi:2:3: no\n  2 |   FILTER (?e.y\n    |   ^^^^^^ mend it"


def test_quotations_are_one_line() -> None:
    assert TEXT.quote(Span(22, 33)) == "?e.y > 5)"


def test_words_are_listed_as_in_a_sentence() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b or c"
    assert listed(["a", "b"], "and") == "a and b"
