"""IF, COALESCE and BOUND, which look at what is unbound."""

from __future__ import annotations

import pytest
from kaicep.expressions import sparql_text
from support.columns import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    INTEGER,
    IRI,
    MOMENT,
    STRING,
    TERM,
    binary,
    call,
    column,
    constant,
    typed,
    values,
)


def test_choices() -> None:
    both = {"a": (INTEGER, [None, 1, None]), "b": (DOUBLE, [0.5, 0.5, None])}
    a, b = column(INTEGER, "a"), column(DOUBLE, "b")
    assert values(call("COALESCE", DOUBLE, a, b), **both) == [0.5, 1.0, None]
    assert values(call("BOUND", BOOLEAN, a), **both) == [False, True, False]
    chosen = call("IF", DOUBLE, binary(">", a, constant(0, INTEGER)), b, constant(9, INTEGER))
    assert values(chosen, a=(INTEGER, [1, 0, None]), b=(DOUBLE, [0.5, 0.5, 0.5])) == [0.5, 9.0, None]
    mixed = call("COALESCE", TERM, column(STRING, "s"), column(IRI, "i"), column(DATETIME, "t"))
    found = values(
        mixed, s=(STRING, ['a "b"\n', None, None]), i=(IRI, ["x", "http://x", None]), t=(DATETIME, [MOMENT] * 3)
    )
    assert found == ['"a \\"b\\"\\n"', "<http://x>", typed("2012-05-07T09:30:01.5Z", "dateTime")]


def test_bound_is_asked_of_anything() -> None:
    a, b = column(INTEGER, "a"), column(INTEGER, "b")
    data = {"a": (INTEGER, [1, None, 1]), "b": (INTEGER, [2, 2, 0])}
    assert values(call("BOUND", BOOLEAN, binary("/", a, b)), **data) == [True, False, False]
    assert values(call("BOUND", BOOLEAN, binary(">", a, b)), **data) == [True, False, True]
    assert values(call("BOUND", BOOLEAN, call("COALESCE", INTEGER, a, b)), **data) == [True, True, True]


def test_bound_of_anything_in_sparql() -> None:
    a = column(INTEGER, "a")
    text = sparql_text(call("BOUND", BOOLEAN, a), lambda _: "?a")
    assert text == "BOUND(?a)"
    text = sparql_text(call("BOUND", BOOLEAN, call("ABS", DOUBLE, column(DOUBLE))), lambda _: "?a")
    assert text == "COALESCE(SAMETERM(ABS(?a), ABS(?a)), false)"


def test_prev_has_no_column() -> None:
    with pytest.raises(ValueError, match="PREV looks back in a run"):
        values(call("PREV", DOUBLE, column(DOUBLE)), a=(DOUBLE, [1.0]))
