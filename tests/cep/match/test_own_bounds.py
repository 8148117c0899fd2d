"""What a query keeps of matches that looser bounds have let in."""

from __future__ import annotations

import numpy as np
import pytest
from kaicep.cep.match import OwnBounds
from kaicep.cep.order import Candidates
from kaicep.cep.output import MatchTable
from kaicep.cep.settled_query import settled_query
from support.frames import frame_at
from support.operators import compiled

PAIR = (
    "SELECT ?a.n AS one, ?b.n AS two FROM (?a, readings), (?b, readings) WHERE { JOIN (?a.sensor = ?b.sensor) "
    "JOIN (?b.x < ?a.x + %s) SEQ (?a, ?b) WINDOW (?a, ?b, %s) }"
)
SECOND = 1_000_000
CANDIDATES = Candidates(
    frame_at([0, SECOND, 2 * SECOND, 9 * SECOND], columns={"x": [1.0, 2.0, 5.0, None], "sensor": ["s", "s", "t", "s"]}),
    np.arange(4),
    0,
)
PAIRS = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])


def matches(**rows: np.ndarray) -> MatchTable:
    last = rows["b"]
    return MatchTable(np.zeros(len(last), dtype=np.int64), rows, CANDIDATES.time[last])


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [
        (("2", "5s"), [(0, 1)]),
        (("5", "1s"), [(0, 1), (1, 2)]),
        (("5", "1min"), [(0, 1), (0, 2), (1, 2)]),
        (("5", "1ms"), []),
        (("-3", "1min"), []),
    ],
)
def test_comparisons_and_windows_are_asked_again_and_nothing_else(
    bounds: tuple[str, str], kept: list[tuple[int, int]]
) -> None:
    """What is unbound is in no bounds; how far apart events may lie is inclusive; equal keys have been looked up."""
    own = OwnBounds(settled_query(compiled(PAIR % bounds)), ("a", "b"))
    found = matches(a=PAIRS[:, 0], b=PAIRS[:, 1])
    inside = own.let_in(found, {"a": CANDIDATES, "b": CANDIDATES})
    assert [tuple(pair) for pair in PAIRS[inside].tolist()] == kept


def test_a_window_of_which_a_match_binds_one_event_lets_all_in() -> None:
    text = "SELECT ?b.n FROM (?n, readings), (?b, readings) JOIN (?n.x = ?b.x) SEQ (NOT ?n, ?b) WINDOW (?n, ?b, 1ms)"
    own = OwnBounds(settled_query(compiled(text)), ("b",))
    assert own.let_in(matches(b=np.array([0, 3])), {"b": CANDIDATES}).tolist() == [True, True]
