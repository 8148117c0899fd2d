"""The moments of EVERY."""

from __future__ import annotations

import numpy as np
from kaicep.cep.match import Recurrence
from kaicep.cep.order import UNBOUNDED

TIME, UNTIL = np.array([10, 12, 30]), np.array([UNBOUNDED, 20, UNBOUNDED])


def test_every_moment_below_the_watermark_counts() -> None:
    assert Recurrence(5).counts(TIME, UNTIL, 26).tolist() == [4, 2, 0]
    assert Recurrence(5).counts(TIME, UNTIL, 25).tolist() == [3, 2, 0]


def test_what_does_not_recur_counts_once() -> None:
    assert Recurrence().counts(TIME, UNTIL, 26).tolist() == [1, 1, 1]


def test_nothing_recurs_behind_the_end_of_the_streams() -> None:
    assert Recurrence(5, 31).counts(TIME, UNTIL, 2**62).tolist() == [5, 2, 1]
    assert Recurrence(5).counts(TIME, UNTIL, 2**62).tolist() == [0, 0, 0]
