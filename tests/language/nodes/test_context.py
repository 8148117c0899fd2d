"""Sets of contexts, and what is asked of them."""

from __future__ import annotations

from kaicep.language.nodes import DEFAULT_BOUNDS, Context, ContextReference, ContextSet, InContext
from kaicep.language.source_text import Span

ROAD = ContextSet("road", (Context("clear"), Context("jam")), (), DEFAULT_BOUNDS, "", Span(0, 1))


def test_the_first_context_is_the_default() -> None:
    assert ROAD.default == Context("clear")
    assert ROAD.context("jam") == ROAD.contexts[1]
    assert ROAD.context("rain") is None


def test_changes_are_a_stream_of_their_own_name() -> None:
    assert ROAD.changes_stream == "CONTEXTS(road)"


def test_a_query_asks_in_sets_each_once() -> None:
    asked = InContext(tuple(ContextReference(*pair) for pair in ("ax", "by", "az")), (), (), Span(0, 1))
    assert asked.sets == ("a", "b")
