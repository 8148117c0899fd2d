"""The candidates that can still take part."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep import build_operator
from kaicep.cep.match import CandidateBuffer, JoinPredicate
from kaicep.cep.order import NUMBER
from support.frames import frame_at
from support.letter_readings import readings, text_of
from support.operators import compiled, feed


def test_runs_forget_what_no_window_reaches() -> None:
    query = compiled(text_of("?a -> ?b -> ?d", window="5s"))
    operator = build_operator(query)
    feed(operator, query, readings(" ".join(["a", "b"] * 50)), until=100)
    kept = operator.kernel._buffer.frames  # type: ignore[attr-defined]  # the state is private to the kernel
    assert {v: frame.height for v, frame in kept.items()} == {"a": 2, "b": 2, "d": 0}


def test_candidates_of_a_not_are_forgotten() -> None:
    query = compiled(text_of("?a, NOT ?n, ?b", window="5s"))
    operator = build_operator(query)
    feed(operator, query, readings(" ".join(["n"] * 50)), until=50)
    assert operator.kernel._buffer.frames["n"].height == 5  # type: ignore[attr-defined]  # private to the kernel


def test_rows_stay_the_same_whatever_is_forgotten() -> None:
    buffer = CandidateBuffer({"a": [JoinPredicate({"a"}, (), pl.col("n") > 0)]})
    frame = frame_at([1, 2, 3, 4], columns={"n": [1, 0, 1, 1], NUMBER: [0, 1, 2, 3]})
    found = buffer.take_in({"a": frame})["a"]
    assert (found.time.tolist(), found.first_new) == ([1, 3, 4], 0)
    fixed = buffer.fixed({"a": np.array([1, 2, -1])})
    buffer.forget("a", 1)
    assert buffer.current(fixed)["a"].tolist() == [0, 1, -1]
    assert buffer.earliest(fixed) == 3
    assert buffer.unused("a", [{"a": fixed["a"][1:2]}]) == 1, "only the candidate before the one that is used"
    again = buffer.take_in({"a": frame_at([5], columns={"n": [1], NUMBER: [4]})})["a"]
    assert (again.time.tolist(), again.number.tolist(), again.first_new) == ([3, 4, 5], [2, 3, 4], 2)
    assert buffer.end("a") == 4
    assert buffer.before(5, "a") == 2
