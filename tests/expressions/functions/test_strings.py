"""Functions of strings over columns."""

from __future__ import annotations

import pytest
from kaicep.expressions import FUNCTIONS, RefusedError
from support.columns import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    IRI,
    STRING,
    TERM,
    call,
    column,
    constant,
    typed,
    values,
)


def test_text_functions() -> None:
    a = {"a": (STRING, ["Straße 9", "", None])}
    text = column(STRING)
    assert values(call("LCASE", STRING, text), **a) == ["straße 9", "", None]
    assert values(call("UCASE", STRING, text), **a) == ["STRASSE 9", "", None]
    assert values(call("STRLEN", INTEGER, text), **a) == [8, 0, None]
    for function, word in (("CONTAINS", "a"), ("STRSTARTS", "Str"), ("STRENDS", " 9")):
        assert values(call(function, BOOLEAN, text, constant(word, STRING)), **a) == [True, False, None]
        assert values(call(function, BOOLEAN, text, text), **a) == [True, True, None]
        assert values(call(function, BOOLEAN, text, constant(".", STRING)), **a) == [False, False, None]
    terms = {"a": (TERM, ['"ab"@en', typed("ab", "string"), typed("1", "integer"), "<http://ab>"])}
    assert values(call("STRLEN", INTEGER, column(TERM)), **terms) == [2, 2, None, None]


def test_only_strings_and_iris_have_a_str_in_sparql() -> None:
    entry = FUNCTIONS["STR"]
    assert entry.sparql(call("STR", STRING, column(IRI)), ["?x"]) == "STR(?x)"
    with pytest.raises(RefusedError, match="the text that the archive keeps"):
        entry.sparql(call("STR", STRING, column(DOUBLE)), ["?x"])
