"""Reasons are trees; the innermost ones that do not hold are what went wrong."""

from __future__ import annotations

from kaicep.explain.reasons import Reason, ReasonKind, failures

NO = Reason(ReasonKind.CONDITION, "inner", holds=False)
YES = Reason(ReasonKind.CONDITION, "fine", holds=True)


def test_the_innermost_failures_are_found_in_order() -> None:
    other = Reason(ReasonKind.PATTERN, "pattern", holds=False)
    tree = Reason(ReasonKind.JUNCTION, "all of", False, (YES, Reason(ReasonKind.PATH, "PATH", False, (NO,)), other))
    assert list(failures(tree)) == [NO, other]


def test_nothing_is_looked_for_below_what_holds() -> None:
    assert list(failures(Reason(ReasonKind.JUNCTION, "any of", True, (NO, YES)))) == []


def test_a_reason_without_parts_is_its_own_failure() -> None:
    assert list(failures(NO)) == [NO]
