"""Contexts as written, in the syntax tree."""

from __future__ import annotations

import pytest
from kaicep.errors import QuerySyntaxError
from kaicep.language import syntax_tree as syntax
from kaicep.language.nodes import ChangeKind
from kaicep.language.source_text import Span
from kaicep.language.syntax import parse_document
from support.syntax import query


def declared(text: str) -> syntax.ContextSetDeclaration:
    """The set of contexts that a text declares."""
    (found,) = parse_document(text)
    assert isinstance(found, syntax.ContextSetDeclaration)
    return found


def test_a_set_has_contexts_keys_and_bounds() -> None:
    contexts = "clear DEFAULT, at, rush DURING 'Mon', 'Tue' TIMEZONE 'UTC', jam"
    found = declared(f"CREATE CONTEXTS road ({contexts}) BY x, e:y WITHIN (,);")
    assert found.name.text == "road"
    assert [context.name.text for context in found.contexts] == ["clear", "at", "rush", "jam"]
    assert [context.default for context in found.contexts] == [True, False, False, False]
    first, last = found.contexts[2].calendar
    assert (first.text, first.zone, last.text) == ("Mon", None, "Tue")
    assert last.zone is not None
    assert last.zone.text == "UTC"
    assert found.keys is not None
    assert [type(key).__name__ for key in found.keys.names] == ["Name", "PrefixedName"]
    assert found.within is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(a DEFAULT, 'Mon')", "this text belongs to no calendar"),
        ("(a DEFAULT, b DURING 'Mon' TIMEZONE 'UTC', 'Tue')", "this calendar has ended"),
    ],
)
def test_texts_that_belong_nowhere(text: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        declared(f"CREATE CONTEXTS r {text}")
    assert caught.value.message == message


def test_a_query_in_contexts() -> None:
    found = query(
        "SELECT ?e.in FROM (?e, s), (?c, contexts(road)) IN CONTEXT road.jam AS ?j, on FOR ?e, ?c "
        "ON (?e: ?e.x, ?c: (?c.x, (?c.y + 1)), ?d: (?d.z)) WITHIN [,) WINDOW (?e, CONTEXT)"
    ).in_context
    assert found is not None
    first, second = found.contexts
    assert first.context.set is not None
    assert (first.context.set.text, first.context.context.text) == ("road", "jam")
    assert (second.context.set, second.context.context.text, second.variable) == (None, "on", None)
    assert first.variable is not None
    assert first.variable.name == "j"
    assert [variable.name for variable in found.required] == ["e", "c"]
    assert [(place.variable.name, len(place.keys.values)) for place in found.places] == [("e", 1), ("c", 2), ("d", 1)]


def test_changes_of_a_set_are_a_source() -> None:
    stream = query("SELECT ?c.since FROM (?c, CONTEXTS (road))").sources[0].stream
    assert stream == syntax.ContextChanges(syntax.Name("road", span=Span(36, 40)), span=Span(26, 41))


def test_a_stream_may_be_called_contexts() -> None:
    assert query("SELECT ?c.since FROM (?c, contexts)").sources[0].stream == syntax.Name("contexts", span=Span(26, 34))


def test_a_change_stands_in_place_of_select() -> None:
    found = query("switch CONTEXT road.jam (?e.x AS y, COUNT(?e)) AT (?e.x, ?z) FROM (?e, s)")
    assert found.change is not None
    assert (found.change.kind, found.change.context.context.text) == (ChangeKind.SWITCH, "jam")
    assert found.change.keys is not None
    assert len(found.change.keys.values) == 2
    assert len(found.items) == 2
    bare = query("TERMINATE CONTEXT jam FROM (?e, s)")
    assert bare.change is not None
    assert (bare.change.keys, bare.items) == (None, ())


def test_in_context_and_in_are_told_apart() -> None:
    found = query("SELECT ?e.x IN (1, 2) AS member IN # where\n CONTEXT jam")
    assert isinstance(found.items[0], syntax.SelectItem)
    assert isinstance(found.items[0].value, syntax.InPredicate)
    assert found.in_context is not None
