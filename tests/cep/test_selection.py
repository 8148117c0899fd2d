"""A query of one variable without aggregates reports each candidate (docs/semantics.md 3.16)."""

from __future__ import annotations

from kaicep.cep.selection import SelectionKernel
from support.frames import frame_at
from support.operators import answer, compiled, events, short

ROOMS = "SELECT ?room FROM (?e, readings) PATH {?e evt:hasSource ?s . ?s bd:hasLocation ?room ; bd:floor ?floor}"


def test_each_candidate_is_a_match_at_its_own_time() -> None:
    kernel = SelectionKernel(compiled("SELECT ?e.n FROM (?e, readings)"))
    matches = kernel.advance({"e": frame_at([3, 5], ["p", "q"], {"n": [1, 2]})}, 9)
    assert matches is not None
    assert (matches.time.tolist(), matches.events["e"].to_list()) == ([3, 5], ["p", "q"])
    assert (kernel.due, kernel.held_since, dict(kernel.state().tables)) == (None, None, {})


def test_having_is_asked_of_each() -> None:
    rows = [{"id": f"e{n}", "t": n, "n": n} for n in range(4)]
    assert events(answer("SELECT ?e.n FROM (?e, readings) HAVING ?e.n > 1", rows)) == ["e2", "e3"]


def test_solutions_of_one_event_come_by_what_is_selected_and_once_each() -> None:
    rows = [{"id": "p", "t": 0, "?room": room, "?floor": floor} for room, floor in (("b", 1), ("a", 2), ("a", 3))]
    assert short(answer(ROOMS, rows)) == [{"room": "a"}, {"room": "b"}]


def test_a_skip_past_the_event_leaves_its_first_solution() -> None:
    rows = [{"id": "p", "t": 0, "?room": room, "?floor": 1} for room in ("b", "a")]
    assert short(answer(f"{ROOMS} AFTER MATCH SKIP TO NEXT EVENT", rows)) == [{"room": "a"}]
    assert short(answer(f"{ROOMS} AFTER MATCH SKIP TO LAST ?e", rows)) == [{"room": "a"}, {"room": "b"}]
