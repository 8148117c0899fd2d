"""Which pairs stand, and which candidates wait no more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from kaicep import Project
from kaicep.cep.match.consumption_mode import ConsumptionMode
from kaicep.cep.order import Candidates
from kaicep.cep.output import MatchTable
from support.mode_queries import CONTENT

PROJECT = Project.parse(CONTENT)
BASE = datetime(2024, 1, 1, tzinfo=UTC)


def candidates(*seconds: int) -> Candidates:
    times = pl.Series([BASE + timedelta(seconds=s) for s in seconds], dtype=pl.Datetime("us", "UTC"))
    return Candidates(pl.DataFrame({"_time": times}), np.array(seconds, dtype=np.int64), 0)


@pytest.mark.parametrize(
    ("policy", "pairs", "left"),
    [
        ("recent", [(2, 3), (2, 4)], [2]),
        ("chronicle", [(1, 3), (2, 4)], []),
        ("chronicle KEEP ?a: 1 events", [(2, 3)], []),
        ("chronicle KEEP ?a: 2s", [(2, 3)], []),
        ("continuous", [(1, 3), (2, 3)], []),
    ],
)
def test_pairs_stand_and_candidates_leave(policy: str, pairs: list[tuple[int, int]], left: list[int]) -> None:
    """Of two that wait, at 1 and 2 s, and two that complete, at 3 and 4 s."""
    mode = _mode(policy)
    own = {"a": candidates(1, 2), "b": candidates(3, 4)}
    matches = MatchTable(np.zeros(4, int), {"a": np.array([0, 1, 0, 1]), "b": np.array([0, 0, 1, 1])}, np.arange(4))
    found = mode.standing(matches, own)
    assert [(int(a) + 1, int(b) + 3) for a, b in zip(found.rows["a"], found.rows["b"], strict=True)] == pairs
    spent = mode.forbidden
    assert own["a"].number[~spent["a"]].tolist() == left
    assert spent["b"].all(), "the last of SEQ never waits"


def test_cumulative_is_one_match_of_runs() -> None:
    own = {"a": candidates(1, 2), "b": candidates(3, 4)}
    matches = MatchTable(np.zeros(2, int), {"a": np.array([1, 0]), "b": np.array([0, 0])}, np.arange(2))
    found = _mode("cumulative").standing(matches, own)
    assert (found.rows["a"].tolist(), found.offsets["a"].tolist()) == ([0, 1], [0, 2])
    assert (found.rows["b"].tolist(), found.offsets["b"].tolist()) == ([0], [0, 1])


def _mode(policy: str) -> ConsumptionMode:
    text = f"SELECT LIST(?a.id) AS a FROM (?a, S), (?b, S) SEQ (?a, ?b) WINDOW (?a, ?b, 1h) POLICY {policy}"
    (query,) = PROJECT.compile(text)
    return ConsumptionMode(query)
