"""What AFTER MATCH forbids does not grow on: neither the state nor the answer shows it."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.cep import build_operator
from kaicep.cep.nfa import nfa_operator as kernel
from kaicep.expressions.frames import pieces_of
from support.letters import agreed
from support.operators import Reading, compiled, feed
from support.sampling import some_of

STRATEGIES = ("SKIP PAST LAST EVENT", "SKIP TO NEXT EVENT", "SKIP TO FIRST ?b", "SKIP TO LAST ?b", "CONSUME")
PATTERNS = ("?a ->> ?b+ ->> ?c", "?a -> ?b{1,; ->} -> ?c", "?a ->> ?b{1,2; ->}", "?a{1,2; ->} -> NOT ?n FOR 2s")
EVENTS = "a b a b n b c a a b@8/l b@8/r n c b c a@30 c b c@40"

every_strategy = pytest.mark.parametrize("after", STRATEGIES)


@pytest.mark.slow
@every_strategy
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("size", some_of([1, 3], 1))
def test_the_answer_is_the_same_however_soon_runs_are_dropped(
    after: str, pattern: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "_PIECE", size)
    variable = after.replace("?b", "?b" if "?b" in pattern else "?a")
    assert agreed(pattern, EVENTS, f"AFTER MATCH {variable}")


def test_what_is_joined_to_runs_is_dropped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_PIECE", 1)
    for after in STRATEGIES:
        assert agreed("?a ->> ?b+", "a b o b o a o b", f"AFTER MATCH {after}", beside="o")


def _readings(notes: str) -> list[Reading]:
    return [{"t": t, "id": f"{t:05}", "note": note} for t, note in enumerate(notes)]


def _size_after(notes: str, *clauses: str) -> int:
    """The size of the state when a stream has come, its time not at an end."""
    query = compiled(
        "SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings), (?c, readings)\n"
        "FILTER (?a.note = 'a') FILTER (?b.note = 'b') FILTER (?c.note = 'c')\n"
        "SEQ (?a ->> ?b{1,2} ->> ?c) WINDOW (?a, ?b, ?c, 1h)\n" + "\n".join(clauses)
    )
    operator = build_operator(query)
    assert feed(operator, query, _readings(notes), until=len(notes))
    return len(operator.snapshot())


@pytest.mark.slow
@every_strategy
def test_runs_that_begin_before_what_stands_are_dropped(after: str) -> None:
    """A hundred runs, and the match begins with the last of them, or holds what all of them hold."""
    notes = "b" * 5 + "a" * 100 + "b" + "c"
    assert _size_after(notes, f"AFTER MATCH {after}") < 0.7 * _size_after(notes)


def test_pieces_are_cut_at_the_same_moments() -> None:
    def frame(*seconds: int) -> pl.DataFrame:
        times = pl.Series("_time", [s * 1_000_000 for s in seconds]).cast(pl.Datetime("us", "UTC"))
        return pl.DataFrame([times])

    pieces = list(pieces_of({"a": frame(1, 2, 2, 5), "b": frame(2, 3)}, 9_000_000, 2))
    assert [({name: f.height for name, f in piece.items()}, passed) for piece, passed in pieces] == [
        ({"a": 1, "b": 0}, 2_000_000),
        ({"a": 2, "b": 1}, 3_000_000),
        ({"a": 1, "b": 1}, 9_000_000),
    ]
    assert next(iter(pieces_of({"a": frame()}, 9, 2)))[1] == 9
