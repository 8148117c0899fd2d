"""What of an event conditions look at are columns, each once."""

from __future__ import annotations

from kaicep.cep.nfa.event_layout import FIRST_COLUMN, speaks_of_one
from support.automata import automaton_of, query_of


def test_a_value_that_is_asked_twice_is_one_column() -> None:
    layout = automaton_of("?a -> ?b{1,; ->} -> ?c", "JOIN (?b.x > ?a.x)", "JOIN (?c.x > ?a.x)").conditions.layout
    assert {variable: len(columns) for variable, columns in layout.columns.items()} == {"a": 1, "b": 1, "c": 1}
    assert len(layout.values("a")) == 1
    assert layout.values("nothing") == []


def test_what_speaks_of_one_event_alone_is_computed_for_whole_batches() -> None:
    (join,) = query_of("?a -> ?b{1,; ->}", "JOIN (?b.x + 1 > ?a.x * 2)").joins
    assert not speaks_of_one(join)
    layout = automaton_of("?a -> ?b{1,; ->}", "JOIN (?b.x + 1 > ?a.x * 2)").conditions.layout
    assert [len(layout.columns[v]) for v in "ab"] == [1, 1]
    assert FIRST_COLUMN == 4
