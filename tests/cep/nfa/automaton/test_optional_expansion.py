"""Whether a repetition of every length comes at all is decided first: one pattern for each way to decide."""

from __future__ import annotations

from kaicep.cep.nfa.automaton.optional_expansion import optional_expansions
from kaicep.language.nodes import Element, Group, Pattern, walk_pattern
from support.automata import parsed


def bounds(pattern: Pattern) -> dict[str, tuple[int, int | None]]:
    parts = [p for p in walk_pattern(pattern) if isinstance(p, Element) and p.quantifier]
    return {p.variable: (p.quantifier.minimum, p.quantifier.maximum) for p in parts if p.quantifier}


def test_one_pattern_without_and_one_with() -> None:
    found = optional_expansions(parsed("?a -> ?b{0,3; ->}~ -> ?c"), lambda _: True)
    assert [bounds(p) for p in found] == [{"b": (0, 0)}, {"b": (1, 3)}]


def test_all_combinations() -> None:
    found = optional_expansions(parsed("?a -> ?b{0,1; ->}~ -> ?c{0,; ->}~"), lambda _: True)
    assert [bounds(p) for p in found] == [
        {"b": (0, 0), "c": (0, 0)},
        {"b": (0, 0), "c": (1, None)},
        {"b": (1, 1), "c": (0, 0)},
        {"b": (1, 1), "c": (1, None)},
    ]


def test_what_is_greedy_or_mandatory_or_not_to_be_decided_stays() -> None:
    for pattern in ("?a -> ?b{0,3; ->}", "?a -> ?b{1,3; ->}~"):
        assert optional_expansions(parsed(pattern), lambda _: True) == [parsed(pattern)]
    assert len(optional_expansions(parsed("?a -> ?b{0,3; ->}~"), lambda _: False)) == 1


def test_a_group_that_does_not_come_decides_nothing_inside() -> None:
    """Its body's ways to decide count where it comes only."""
    found = optional_expansions(parsed("?a -> (?b -> ?c{0,1; ->}~){0,2; ->}~"), lambda _: True)
    groups = [p for one in found for p in walk_pattern(one) if isinstance(p, Group)]
    assert [(g.quantifier.maximum, bounds(g)["c"]) for g in groups] == [(0, (0, 1)), (2, (0, 0)), (2, (1, 1))]
