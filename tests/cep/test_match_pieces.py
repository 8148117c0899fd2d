"""Matches are found in pieces that can be held: the rows are those of all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kaicep.cep import Limits, build_operator, match_pieces, query_operator
from kaicep.cep.joins import pattern_operator
from kaicep.cep.match_pieces import found_in_pieces
from kaicep.cep.output import row_pieces
from support.operators import Reading, compiled, feed

FROM = "FROM (?a, readings), (?b, readings)"
PAIRS = f"SELECT ?a.n AS x, ?b.n AS y {FROM} SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"
SHAPES = (
    PAIRS,
    f"SELECT ?a.n AS x {FROM} JOIN (?a.n = ?b.n) WINDOW (?a, ?b, 9s)",
    f"SELECT ?a.n AS x {FROM} SEQ (?a OR ?b) WINDOW (?a, ?b, 9s)",
    f"SELECT ?a.n AS x {FROM} SEQ (?a AND ?b) WINDOW (?a, ?b, 1h) HAVING (?a.n >= ?b.n)",
    PAIRS.replace("SELECT", "SELECT DISTINCT"),
    f"{PAIRS} LIMIT 37",
    f"{PAIRS} AFTER MATCH SKIP PAST LAST EVENT",
    f"{PAIRS} OUTPUT LAST EVERY 5s",
    f"{PAIRS} OUTPUT FIRST EVERY 7 MATCHES",
    f"SELECT ?a.n AS x, COUNT(?b) AS n {FROM} SEQ (?a, ?b+) WINDOW (?a, ?b, 4s)",
    f"SELECT ?a.n AS x {FROM}, (?n, readings) FILTER (?n.n = 3) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 1h)",
    f"SELECT ?a.n AS x {FROM}, (?n, readings) FILTER (?n.n = 3) SEQ (?a, ?b, NOT ?n FOR 2s) WINDOW (?a, ?b, 9s)",
    "SELECT COUNT(?a) AS n FROM (?a, readings) WINDOW (?a, hopping, 10s, 1s)",
    "SELECT ?a.n AS x FROM (?a, readings)",
)


def readings(count: int) -> list[Reading]:
    """Two of them have the same time stamp."""
    return [{"id": f"e{i:04}", "t": i - (i == 7), "n": i % 3 + 1} for i in range(count)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def shrink() -> None:
        monkeypatch.setattr(row_pieces, "ROWS_AT_ONCE", 5)
        monkeypatch.setattr(pattern_operator, "_MATCHES", 10)
        monkeypatch.setattr(match_pieces, "_EVENTS", 4)

    return shrink


@pytest.mark.parametrize("text", SHAPES)
def test_rows_are_those_of_all_at_once(text: str, small: Callable[[], None]) -> None:
    query, stream = compiled(text), readings(24)
    expected = feed(build_operator(query), query, stream)
    small()
    operator = build_operator(query)
    assert feed(operator, query, stream) == expected
    assert expected
    assert operator.counts.reported == len(expected)


def held(monkeypatch: pytest.MonkeyPatch, text: str, count: int, **limits: int) -> list[int]:
    """How many matches were held together, from the first piece to the last."""
    sizes: list[int] = []

    def noted(*arguments: Any, **options: Any) -> Any:
        for matches, until in found_in_pieces(*arguments, **options):
            sizes.append(0 if matches is None else len(matches.time))
            yield matches, until

    query = compiled(text)
    with monkeypatch.context() as patched:
        patched.setattr(query_operator, "found_in_pieces", noted)
        feed(build_operator(query, limits=Limits(**limits)), query, readings(count))
    return sizes


def test_no_more_are_held_than_fit(monkeypatch: pytest.MonkeyPatch, small: Callable[[], None]) -> None:
    """The events of one moment are taken together, however many matches they end."""
    small()
    sizes = held(monkeypatch, PAIRS, 60)
    assert sum(sizes) == 60 * 59 // 2 - 1  # two events are of one moment
    assert max(sizes) <= 59 + 58
    assert max(held(monkeypatch, PAIRS, 5)) == 10


def test_what_limit_does_not_ask_for_is_not_found(monkeypatch: pytest.MonkeyPatch, small: Callable[[], None]) -> None:
    small()
    assert sum(held(monkeypatch, f"{PAIRS} LIMIT 3", 60)) <= 30


def test_only_what_is_held_counts_against_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 276 matches no more than some are held at once."""
    assert max(held(monkeypatch, PAIRS, 24, bytes_per_batch=50 * 320)) <= 50


def test_joins_count_their_conditions_once(small: Callable[[], None]) -> None:
    """What was tried with too many events is not counted."""
    query, stream = compiled(PAIRS.replace("SEQ", "JOIN (?a.n <= ?b.n) SEQ")), readings(24)
    whole = build_operator(query)
    feed(whole, query, stream)
    small()
    parts = build_operator(query)
    feed(parts, query, stream)
    assert parts.counts == whole.counts
