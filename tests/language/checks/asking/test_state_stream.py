"""The events of several variables as one stream."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks.asking.state_stream import united
from kaicep.language.name_lookup import Names
from kaicep.language.nodes import AttributeType, StreamType, ValueType, Vocabulary
from kaicep.language.source_text import SourceText, Span

NAMES = Names(SourceText("query", "STATE(q)"), {}, Vocabulary({}, {}))
TIME = AttributeType("_time", ValueType.DATETIME)


def stream(name: str, **types: ValueType) -> StreamType:
    return StreamType(name, (*(AttributeType(n, t) for n, t in types.items()), TIME))


def test_it_has_the_attributes_of_all() -> None:
    one, other = stream("S", k=ValueType.INTEGER), stream("T", k=ValueType.INTEGER, v=ValueType.STRING)
    assert united(NAMES, "STATE(q)", Span(0, 8), {"a": one, "b": one}).attributes == one.attributes
    found = united(NAMES, "STATE(q)", Span(0, 8), {"a": one, "b": other})
    assert [a.name for a in found.attributes] == ["k", "v", "_time"]


def test_types_that_differ_are_refused() -> None:
    variables = {"a": stream("S", k=ValueType.INTEGER), "b": stream("T", k=ValueType.STRING)}
    with pytest.raises(QueryTypeError, match=r"'k' is of different types in the streams of 'q'"):
        united(NAMES, "STATE(q)", Span(0, 8), variables, "q")
