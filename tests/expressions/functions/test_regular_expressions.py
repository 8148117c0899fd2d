"""Regular expressions: Rust's, with XPath's flags."""

from __future__ import annotations

import pytest
from kaicep.expressions.functions.regular_expressions import fault_of
from kaicep.language.nodes.expression import Expression
from support.columns import (
    BOOLEAN,
    STRING,
    call,
    column,
    constant,
    values,
)


@pytest.mark.parametrize(
    ("pattern", "flags", "matches"),
    [
        ("^l", None, [True, False, False]),
        ("^L", "i", [True, False, False]),
        ("K.\nL", "s", [False, False, False]),
        ("k.l", "s", [False, True, False]),
        ("k.l", None, [False, False, False]),
        ("^low", "m", [True, True, False]),
        ("l o w", "x", [True, True, False]),
        ("a.b", "q", [False, False, True]),
        ("A.B", "qi", [False, False, True]),
        ("(", None, [None, None, None]),
    ],
)
def test_regular_expressions(pattern: str, flags: str | None, matches: list[bool | None]) -> None:
    arguments: list[Expression] = [column(STRING), constant(pattern, STRING)]
    arguments += [] if flags is None else [constant(flags, STRING)]
    found = values(call("REGEX", BOOLEAN, *arguments), a=(STRING, ["low", "k\nlow", "xa.b", None]))
    assert found == [*matches, None]


def test_faults_are_told_before_any_event_comes() -> None:
    assert fault_of("^a", "i") is None
    assert fault_of("a", "ig") == "there is no flag 'g'"
    assert "unclosed" in str(fault_of("(", ""))
