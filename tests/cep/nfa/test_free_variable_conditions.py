"""JOINs with what SEQ does not name are asked of whole matches, when all their events are known."""

from __future__ import annotations

import pytest
from support.letters import agreed

CASES = {
    "a JOIN does not steer the run": (
        "?a -> ?b{1,; ->}", "a b1 b5 o3", (), ("JOIN (?b.x < ?o.x)",),
    ),
    "a JOIN of every event": ("?a -> ?b{1,; ->}", "a b1 b2 o3 o2", ("a1 b2 b3 o4",), ("JOIN (?b.x < ?o.x)",)),
    "a JOIN of what is equal": (
        "?a ->> ?b+", "o1 o2 o a2 b", ("a4 b5 o2",), ("JOIN (?a.x = ?o.x)",),
    ),
    "a JOIN with a whole run": (
        "?a -> ?b{1,; ->}", "a b1 b2 o3 o4", ("a1 b2 b3 o4",), ("JOIN (SUM(?b.x) = ?o.x)",),
    ),
    "a JOIN with RUNNING, in order of time": (
        "?a -> ?b{1,; ->}", "a b1 o1 b1 o1", ("a1 b2 b4 o3",), ("JOIN (?o.x = RUNNING SUM(?b.x))",),
    ),
    "a JOIN that names the other side of an OR": (
        "(?a OR ?b) -> ?c{1,; ->}", "b c o1", ("b1 c2 o3",), ("JOIN (COUNT(?a) = ?o.x OR ?a.x > 5)",),
    ),
    "a JOIN with a NOT": (
        "?a -> NOT ?n -> ?b{1,; ->}", "a n1 b o1 o2", ("a1 b3 o5",), ("JOIN (?n.x = ?o.x)",),
    ),
    "a JOIN with a NOT at the end": (
        "?a -> ?b{1,2; ->} -> NOT ?n FOR 5s", "a b n1 o1 o2 z@30", ("a1 b2 o5",), ("JOIN (?n.x = ?o.x)",),
    ),
    "a NOT in a repetition, with JOINs within and without": (
        "(?a -> NOT ?n -> ?b){2; ->}", "a1 n1 b a2 n1 b o1 o2", ("a1 a4 b3 b6 o8",),
        ("JOIN (?n.x = ?a.x)", "JOIN (?n.x = ?o.x)"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("pattern", "events", "matches", "clauses"), CASES.values(), ids=CASES)
def test_a_join_with_what_seq_does_not_name(
    pattern: str, events: str, matches: tuple[str, ...], clauses: tuple[str, ...]
) -> None:
    assert agreed(pattern, events, *clauses, window="1h", beside="o") == list(matches)
