"""Beginnings of windows that are tried, one window after the other in each group."""

from __future__ import annotations

import numpy as np
import pytest
from kaicep.cep.windows.window_trial import Tried, first_beginnings
from kaicep.expressions import Bools, Ints


def tried(low: Ints, end: Ints, groups: Ints, good: Bools) -> tuple[list[int], list[list[int]]]:
    """The beginnings where a window holds if its pair of beginning and end is good; what was laid out."""
    laid: list[list[int]] = []

    def hold(what: Tried) -> Bools:
        assert (np.diff(what.start) >= 0).all()
        assert (np.diff(what.end) >= 0).all()
        assert (what.start < what.end).all()
        laid.append([len(what.rows)])
        held: Bools = good[what.rows[what.start], what.rows[what.end - 1]]
        return held

    return first_beginnings(low, end, groups, hold).tolist(), laid


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_it_is_what_trying_one_by_one_finds(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 300))
    good = rng.random((count, count)) < share
    firsts = np.unique(np.concatenate([[0], rng.integers(0, count, 4)]))
    begin = np.repeat(firsts, np.diff(np.append(firsts, count)))
    end = np.arange(1, count + 1)
    low = np.minimum(np.maximum(begin, end - rng.integers(1, 90, count)), end)
    expected: list[int] = []
    for number in range(count):
        at = max(low[number], expected[-1] if number and number not in firsts else 0)
        while at < end[number] and not good[at, end[number] - 1]:
            at += 1
        expected.append(int(at))
    assert tried(low, end, firsts, good)[0] == expected


def test_a_window_that_nothing_will_do_for_takes_few_rounds() -> None:
    count = 3_000
    end = np.arange(1, count + 1)
    good = np.zeros((count, count), dtype=bool)
    good[0, : count - 1] = True
    found, laid = tried(np.zeros(count, dtype=np.int64), end, np.array([0]), good)
    assert found == [0] * (count - 1) + [count]
    assert len(laid) < 130
