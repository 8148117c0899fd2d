"""What an operator holds."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.query_state import BoundEvents, HeldState, held_together

EVENTS = pl.DataFrame({"_id": ["a", "b", "c"]})


def shown(state: HeldState) -> dict[str, tuple[list[int], list[int]]]:
    return {v: (of.match.tolist(), of.row.tolist()) for v, of in state.bound.items()}


def test_a_state_may_be_empty() -> None:
    assert (len(HeldState().until), dict(HeldState().bound), dict(HeldState().candidates)) == (0, {}, {})


def test_some_of_the_partial_matches_are_numbered_anew() -> None:
    bound = {"x": BoundEvents(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2])), "y": BoundEvents(*[np.array([1])] * 2)}
    left = HeldState({"x": EVENTS}, bound, np.array([5, 6, 7])).only(np.array([False, True, True]), np.array([1, 2, 3]))
    assert shown(left) == {"x": ([0, 0, 1], [1, 2, 2]), "y": ([0], [1])}
    assert left.until.tolist() == [2, 3]


def test_partial_matches_that_bind_other_variables_are_one_state() -> None:
    one = {"x": np.array([0, 2])}, np.array([5, 6])
    both = {"x": np.array([1]), "y": np.array([2])}, np.array([7])
    whole = held_together({"x": EVENTS, "y": EVENTS, "z": EVENTS}, [one, both])
    assert shown(whole) == {"x": ([0, 1, 2], [0, 2, 1]), "y": ([2], [2]), "z": ([], [])}
    assert whole.until.tolist() == [5, 6, 7]
    assert len(held_together({"x": EVENTS}, []).until) == 0
