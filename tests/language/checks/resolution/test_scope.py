"""What a variable of an expression is: an event, a semantic variable, or a mistake."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language import Names, SourceText, Span
from kaicep.language import syntax_tree as syntax
from kaicep.language.checks.resolution import Scope, check_length
from kaicep.language.nodes import Binding, Column, ValueType
from support.vocabulary import AIRFLOW, CAMPUS

AT = Span(0, 4)


def bound(name: str, variable: str = "e") -> Binding:
    return Binding(variable, name, ValueType.TERM, AT)


def scope(*bindings: Binding) -> Scope:
    names = dict.fromkeys(b.name for b in bindings)
    return Scope(
        Names(SourceText("query", "?abc"), {}, CAMPUS),
        {"e": AIRFLOW},
        {name: [b for b in bindings if b.name == name] for name in names},
    )


def variable(name: str) -> syntax.Variable:
    return syntax.Variable(name, span=AT)


def test_an_event_stands_for_its_id() -> None:
    found = scope().variable(variable("e"))
    assert isinstance(found, Column)
    assert (found.variable, found.name, found.type) == ("e", "_id", ValueType.IRI)


def test_semantic_variables_are_remembered_in_the_order_of_their_use() -> None:
    """A PATH is asked for those that are used, and for no others."""
    found = scope(bound("room"), bound("floor"), bound("site"))
    for name in ("floor", "room", "floor"):
        found.variable(variable(name))
    assert list(found.used) == ["floor", "room"]


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("roon", "unknown variable ?roon", "did you mean '?room'?"),
        ("xyz", "unknown variable ?xyz", "name its stream: FROM (?xyz, …)"),
        ("twice", "two PATHs bind ?twice", "rename one of them, say ?twice2, and relate them: JOIN (?twice = ?twice2)"),
    ],
)
def test_what_is_neither_is_told_with_the_way_out(name: str, message: str, hint: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        scope(bound("room"), bound("twice"), bound("twice", "e2")).variable(variable(name))
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_semantic_variable_has_no_stream() -> None:
    with pytest.raises(QueryTypeError, match=r"\?room is no event"):
        scope(bound("room")).stream(variable("room"))


def test_lengths_are_bounded() -> None:
    check_length(scope(), timedelta(days=1), AT, "a window")
    with pytest.raises(QueryTypeError):
        check_length(scope(), timedelta.max, AT, "a window")
