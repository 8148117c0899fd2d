"""The table of an automaton says what its transitions ask: what a reader sees is what runs."""

from __future__ import annotations

from kaicep.cep.nfa import AutomatonTable, Edge, EdgeAction, automaton_table
from kaicep.language.nodes import Link
from support.letters import project, question

WINDOW = "WINDOW (?a, ?b, ?c, 3600s)"


def table(pattern: str, *clauses: str, most: int = 100) -> AutomatonTable:
    (query,) = project().compile(question(pattern, *clauses))
    return automaton_table(query, most)


def taken(found: AutomatonTable) -> list[tuple[int, int | None, str, tuple[str, ...]]]:
    return [(e.source, e.target, e.what, e.conditions) for e in found.edges if e.action is EdgeAction.TAKE]


def test_a_greedy_repetition_is_a_loop() -> None:
    """Once in the repetition an event prolongs it or leaves it; what nothing takes is ignored under `->`."""
    found = table("?a -> ?b{1,; ->} -> ?c")
    assert found.states == (("a",), ("b",), ("b", "c"), ("",))
    assert found.initial == (0,)
    assert found.complete
    assert found.edges == (
        Edge(0, 1, EdgeAction.TAKE, "a"),
        Edge(1, 2, EdgeAction.TAKE, "b", Link.NEXT, (WINDOW,)),
        Edge(1, 1, EdgeAction.IGNORE, "what nothing takes"),
        Edge(2, 2, EdgeAction.TAKE, "b", Link.NEXT, (WINDOW,)),
        Edge(2, 3, EdgeAction.TAKE, "c", Link.NEXT, (WINDOW,)),
        Edge(2, 2, EdgeAction.IGNORE, "what nothing takes"),
        Edge(3, None, EdgeAction.PROCEED),
    )


def test_a_condition_stands_where_it_is_asked() -> None:
    """PREV with each event of the repetition; an aggregate once the repetition is complete."""
    found = table("?a -> ?b{1,; ->} -> ?c", "JOIN (?b.x > PREV(?b.x))", "JOIN (?c.x > SUM(?b.x))")
    assert taken(found)[1:] == [
        (1, 2, "b", (WINDOW, "?b.x > PREV(?b.x)")),
        (2, 2, "b", (WINDOW, "?b.x > PREV(?b.x)")),
        (2, 3, "c", (WINDOW, "?c.x > SUM(?b.x)")),
    ]


def test_a_not_and_an_until_are_told_with_their_conditions() -> None:
    found = table("?a -> NOT ?n -> ?b{1,; ->} UNTIL (?b.x > 5)", "JOIN (?n.x = ?a.x)")
    first = taken(found)[1]
    assert first[:3] == (1, 2, "b")
    assert first[3] == ("WINDOW (?a, ?b, 3600s)", "not UNTIL (?b.x > 5)", "NOT ?n with ?n.x = ?a.x")


def test_a_greedy_end_waits_until_it_can_be_prolonged_no_more() -> None:
    ends = [e for e in table("?a -> ?b{1,2; ->}").edges if e.action is EdgeAction.PROCEED]
    assert [(e.source, e.what) for e in ends] == [(2, "when it can be prolonged no more"), (3, "")]


def test_what_the_links_let_a_match_ignore() -> None:
    """Under `->>` any event; under `=>` none; beside `->` what another branch of the match takes."""

    def ignored(pattern: str) -> list[tuple[int, str]]:
        return [(e.source, e.what) for e in table(pattern).edges if e.action is EdgeAction.IGNORE]

    assert ignored("?a ->> ?b{2; ->>}") == [(1, "any event"), (2, "any event")]
    assert ignored("?a => ?b{2; =>}") == []
    assert ignored("?a ->> ?b{2; ->}") == [(1, "any event"), (2, "what nothing takes")]


def test_a_pattern_of_very_many_states_is_cut() -> None:
    found = table("?a -> ?b{1,500; ->}", most=20)
    assert not found.complete
    assert len(found.states) == 20
    assert all(edge.target is None or edge.target < 20 for edge in found.edges)


def test_a_pattern_that_repeats_nothing_has_one_too() -> None:
    assert taken(table("?a -> ?b")) == [(0, 1, "a", ()), (1, 2, "b", ("WINDOW (?a, ?b, 3600s)",))]
