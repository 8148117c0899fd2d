"""Where timers may stand, and which could never hold."""

from __future__ import annotations

import re

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import Sequence, Timer, ends_with_timer
from support.automata import query_of


def refusal(pattern: str, *clauses: str) -> str:
    with pytest.raises(QueryTypeError) as error:
        query_of(pattern, *clauses, window=None if clauses or not re.search(r"(?<!L )\?[bc]", pattern) else "1h")
    return str(error.value)


@pytest.mark.parametrize(
    ("pattern", "message", "marked"),
    [
        ("AFTER 5s, ?a", "AFTER 5s may come first", "AFTER 5s"),
        ("?a{0,1}, AFTER 5s", "AFTER 5s may come first", "AFTER 5s"),
        ("NOT ?n FOR 1s, AFTER 5s, ?a", "AFTER 5s may come first", "AFTER 5s"),
        ("?a, AFTER 0s", "AFTER of no length", "0s"),
        ("?a, EVERY 0s UNTIL ?b", "EVERY of no length", "0s"),
        ("?a, EVERY 5s", "this EVERY does not say how long", "EVERY 5s"),
        ("?a, EVERY 5s UNTIL ?b, ?c", "EVERY 5s UNTIL ?b is not the last of SEQ", "EVERY 5s UNTIL ?b"),
        ("?a, EVERY 5s UNTIL ?b, EVERY 6s UNTIL ?c", "is not the last of SEQ", "EVERY 5s UNTIL ?b"),
        ("?a, EVERY 5s UNTIL ?a", "SEQ names ?a twice", "EVERY 5s UNTIL ?a"),
        ("?a => AFTER 5s -> ?b", "'=>' beside a timer", "AFTER 5s"),
        ("?a -> AFTER 5s => ?b", "'=>' beside a timer", "AFTER 5s"),
        ("?a => NOT ?n -> AFTER 5s", "'=>' beside a timer", "AFTER 5s"),
        ("?a, (AFTER 5s, ?b)", "AFTER in a group", "AFTER 5s"),
        ("(?a, AFTER 5s){2}", "AFTER in a group", "AFTER 5s"),
        ("?a, (AFTER 5s AND ?b)", "AFTER in a group, or in AND or OR", "AFTER 5s"),
        ("?a, EVERY 5s UNTIL ?b OR ?c", "EVERY in a group, or in AND or OR", "EVERY 5s UNTIL ?b"),
        ("?a, AFTER 5s, AFTER 5s", "would be over before what stands before it", "AFTER 5s"),
        ("?a, NOT ?n FOR 9s, AFTER 5s", "would be over before what stands before it", "AFTER 5s"),
        ("?a, AFTER 5s, NOT ?n FOR 3s", "would be over before the timer in front of it", "NOT ?n FOR 3s"),
        (
            "?a, AFTER 5s, (NOT ?n FOR 9s AND ?b)",
            "stands in a group, or in AND or OR, beside AFTER 5s",
            "NOT ?n FOR 9s",
        ),
        ("?a, NOT ?n, ?b{0,1}, AFTER 5s", "this may be left out between NOTs and AFTER 5s", "?b{0,1}"),
    ],
)
def test_what_is_refused_with_its_place(pattern: str, message: str, marked: str) -> None:
    text = refusal(pattern)
    assert message in text
    _, line, carets = text.splitlines()
    found = re.search(r"\^+", carets)
    assert found is not None
    assert line[found.start() : found.end()] == marked


def test_a_timer_lies_within_the_shortest_window() -> None:
    assert "AFTER 5s lies beyond the shortest WINDOW" in refusal("?a, ?b, AFTER 5s", "WINDOW (?a, ?b, 4s)")
    query_of("?a, ?b, AFTER 5s", "WINDOW (?a, ?b, 5s)")


def test_a_policy_of_strict_contiguity_has_no_timers() -> None:
    assert "'=>' beside a timer" in refusal("?a, AFTER 5s", "POLICY strict")


@pytest.mark.parametrize(
    "pattern",
    ["?a -> ?b -> AFTER 5s", "?a+, NOT ?n, AFTER 1s, ?b", "?a, AFTER 7s, EVERY 2s UNTIL ?b", "?a, ?b{0,1}, AFTER 5s"],
)
def test_what_is_accepted_is_normal_text_again(pattern: str) -> None:
    query = query_of(pattern)
    assert isinstance(query.pattern, Sequence)
    assert any(isinstance(part, Timer) for part in query.pattern.parts)
    assert ends_with_timer(query.pattern) is isinstance(query.pattern.parts[-1], Timer)
