"""What the sides of an AND carry (docs/semantics.md 3.5)."""

from __future__ import annotations

from dataclasses import replace

from kaicep.cep.nfa.automaton.interleaving import after_way, all_ended, behind_others, opening_anchors, settled
from kaicep.cep.nfa.automaton.pattern_items import (
    BranchChoice,
    EpsilonPath,
    PassedNegation,
    PatternEnd,
    PatternItem,
    anchor_of,
    item_at,
)
from kaicep.language.nodes import Link

NOT = PassedNegation("n", strict=False, before=("a",), enters=frozenset())
OTHER = replace(NOT, variable="m")
LOOP = (3, (0,))
SIDE = BranchChoice(LOOP, 1, Link.ANY)
BEFORE = EpsilonPath(Link.STRICT, ("a",), absences=(NOT,), leaves=frozenset({LOOP}), quits=frozenset({3}))


def item(variable: str | None, way: EpsilonPath) -> PatternItem:
    return item_at(variable, way, PatternEnd())


def test_a_thread_has_what_was_met_on_the_way_before_what_it_met_itself() -> None:
    own = item("b", EpsilonPath(absences=(OTHER,), sides=(SIDE,), floors=(NOT,)))
    found = after_way(replace(BEFORE, floors=(NOT,)), own)
    assert found.absences == (NOT, OTHER)
    assert found.floors == (NOT,), "once"
    assert (found.leaves, found.quits, found.sides) == (frozenset({LOOP}), frozenset({3}), (SIDE,))


def test_a_side_behind_others_looks_from_where_the_and_began() -> None:
    """The last event of what stands before may be another one by now."""
    begun = item("b", replace(BEFORE, absences=(NOT, replace(OTHER, before=("c",)))))
    end = item(None, BEFORE)
    found, ended = behind_others((begun, end), ("a",), "anchor")
    assert (found.before, ended.before) == (None, ("a",))
    assert [absence.before for absence in found.absences] == [("anchor",), ("c",)]


def test_where_an_and_begins_is_remembered_for_nots_on_its_sides_alone() -> None:
    plain, negated = item("b", EpsilonPath()), item("b", EpsilonPath(absences=(NOT,)))
    assert list(opening_anchors([(plain,)], BEFORE, 7)) == []
    assert list(opening_anchors([(plain,), (negated,)], BEFORE, 7)) == [(anchor_of(7), ("a",))]
    assert list(opening_anchors([(negated,)], EpsilonPath(), 7)) == [], "nothing stands before it"


def test_an_event_of_an_and_settles_what_was_met_before_it() -> None:
    found = settled(BEFORE)
    assert (found.absences, found.leaves, found.quits) == ((), frozenset(), frozenset())
    assert (found.link, found.before) == (Link.STRICT, ("a",)), "the other sides stand behind the same events"


def test_what_follows_an_and_stands_behind_the_ends_of_all_its_sides() -> None:
    ends = item(None, EpsilonPath(before=("b",))), item(None, EpsilonPath(before=("c", "b"), absences=(OTHER,)))
    found = all_ended(ends, BEFORE)
    assert (found.link, found.before) == (None, ("b", "c"))
    assert found.absences == (NOT, OTHER)


def test_an_and_of_which_nothing_is_written_is_passed_together_with_the_link_before_it() -> None:
    nothing = item(None, EpsilonPath(Link.ANY, ("a",), written=False))
    found = all_ended((nothing, nothing), BEFORE)
    assert (found.link, found.before, found.written) == (Link.STRICT, ("a",), False)
