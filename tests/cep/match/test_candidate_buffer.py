"""The candidates that can still take part."""

from __future__ import annotations

from kaicep.cep import build_operator
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
