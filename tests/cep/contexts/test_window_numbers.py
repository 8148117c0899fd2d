"""The number of a window follows from what it is."""

from __future__ import annotations

import numpy as np
from kaicep.cep.contexts.window_numbers import window_number, window_numbers


def test_numbers_are_the_same_one_by_one_and_in_columns() -> None:
    """Whoever asks; and they never change, since snapshots hold them."""
    partitions = np.array([0, -5, 2**63 - 1, 7, 7], dtype=np.int64)
    since = np.array([-(2**62), 0, 12, 13, -13], dtype=np.int64)
    numbers = window_numbers("road", "jam", partitions, since).tolist()
    pairs = zip(partitions.tolist(), since.tolist(), strict=True)
    assert numbers == [window_number("road", "jam", partition, began) for partition, began in pairs]
    assert len(set(numbers)) == 5
    assert window_number("road", "jam", 7, 13) == numbers[3]


def test_everything_tells_windows_apart() -> None:
    """Set, context, partition and beginning."""
    numbers = {window_number(s, c, p, t) for s in ("a", "b") for c in ("x", "y") for p in range(50) for t in range(50)}
    assert len(numbers) == 10_000
