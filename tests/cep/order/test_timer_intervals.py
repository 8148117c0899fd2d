"""Timers as NOTs with intervals."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.cep.order import with_timer_intervals
from kaicep.language.nodes import Negation, Sequence
from support.automata import query_of

MICROSECOND = timedelta(microseconds=1)


def intervals(pattern: str) -> list[tuple[str, float, float | None, bool, float | None]]:
    """Of each NOT: its variable, beginning and end in seconds, whether it is a timer, and the period of EVERY."""
    found = with_timer_intervals(query_of(pattern)).pattern
    assert isinstance(found, Sequence)
    return [
        (
            part.variable,
            part.since.total_seconds(),
            None if part.duration is None else part.duration.total_seconds(),
            part.timer,
            None if part.every is None else part.every.total_seconds(),
        )
        for part in found.parts
        if isinstance(part, Negation)
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?a, ?b, AFTER 4s", [("#after2", 0, 4, True, None)]),
        ("?a, EVERY 4s UNTIL ?b", [("b", 0, 4, True, 4)]),
        ("?a, NOT ?n, AFTER 4s, ?b", [("n", 0, 3.999999, False, None), ("#after2", 0, 4, True, None)]),
        ("?a, NOT ?n, EVERY 4s UNTIL ?b", [("n", 0, 3.999999, False, 4), ("b", 0, 4, True, 4)]),
        ("?a, AFTER 4s, NOT ?n, ?b", [("#after1", 0, 4, True, None), ("n", 4, None, False, None)]),
        ("?a, ?b, AFTER 4s, NOT ?n FOR 9s", [("#after2", 0, 4, True, None), ("n", 4, 9, False, None)]),
        ("?a, AFTER 4s, EVERY 2s UNTIL ?b", [("#after1", 0, 4, True, None), ("b", 4, 6, True, 2)]),
        ("?a, NOT ?n FOR 5s, EVERY 2s UNTIL ?b", [("n", 0, 5, False, None), ("b", 0, 6, True, 2)]),
        ("?a, NOT ?n, NOT ?m FOR 5s, EVERY 2s UNTIL ?b",
         [("n", 0, 5.999999, False, 2), ("m", 0, 5, False, None), ("b", 0, 6, True, 2)]),
        ("?a, AFTER 4s, ?b, AFTER 3s", [("#after1", 0, 4, True, None), ("#after3", 0, 3, True, None)]),
    ],
)  # fmt: skip
def test_durations_count_from_the_event_before(pattern: str, expected: list[object]) -> None:
    assert intervals(pattern) == expected


def test_a_query_without_timers_stays_as_it_is() -> None:
    query = query_of("?a, NOT ?n FOR 3s, ?b")
    assert with_timer_intervals(query) is query
