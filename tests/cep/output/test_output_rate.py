"""OUTPUT (ALL | FIRST | LAST) EVERY … (docs/semantics.md 3.13)."""

from __future__ import annotations

import pytest
from kaicep.cep import build_operator
from support.operators import Reading, answer, at, compiled, events, feed

TIMES = (0, 1, 2.5, 4, 4.5, 9)


def readings(*times: float, sensors: str = "s") -> list[Reading]:
    return [{"id": f"e{i}", "t": t, "sensor": sensors[i % len(sensors)]} for i, t in enumerate(times)]


@pytest.mark.parametrize(
    ("which", "expected"),
    [("ALL", "e0 e1 e2 e3 e4 e5"), ("FIRST", "e0 e2 e3 e5"), ("LAST", "e1 e2 e4 e5")],
)
def test_periods_of_time_are_aligned_to_the_epoch(which: str, expected: str) -> None:
    assert events(answer(f"SELECT ?e OUTPUT {which} EVERY 2s", readings(*TIMES))) == expected.split()


@pytest.mark.parametrize(
    ("which", "batches"),
    [
        ("ALL", ["", "", "e0 e1", "e2 e3 e4 e5"]),
        ("FIRST", ["e0", "", "", "e2 e3 e5"]),
        ("LAST", ["", "", "e1", "e2 e4 e5"]),
    ],
)
def test_rows_are_handed_over_when_the_watermark_passes_the_end_of_their_period(which: str, batches: list[str]) -> None:
    """FIRST does not wait."""
    query = compiled(f"SELECT ?e OUTPUT {which} EVERY 2s")
    operator = build_operator(query)
    rows = readings(0.5, 1, 2.5, 4, 4.5, 9)
    fed = [feed(operator, query, rows[:2], until=1.5), feed(operator, query, rows[2:3], until=1.9)]
    fed += [feed(operator, query, [], until=2), feed(operator, query, rows[3:])]
    assert [" ".join(events(part)) for part in fed] == batches


@pytest.mark.parametrize(
    ("which", "expected"),
    [("ALL", "e0 e2 e1 e3 e4"), ("FIRST", "e0 e1 e4"), ("LAST", "e2 e3 e4")],
)
def test_so_many_matches_of_a_group_are_a_period(which: str, expected: str) -> None:
    """A full period is handed over with its last match, what is left at the end of the streams."""
    text = f"SELECT ?e GROUP BY ?e.sensor OUTPUT {which} EVERY 2 matches"
    rows = readings(0, 1, 2, 3, 4, sensors="sts")
    rows[3] = {**rows[3], "sensor": "t"}
    assert events(answer(text, rows)) == expected.split()


def test_unbound_values_are_a_group() -> None:
    rows = [{"id": f"e{i}", "t": i, "sensor": s} for i, s in enumerate(("s", None, None, "s"))]
    assert events(answer("SELECT ?e GROUP BY ?e.sensor OUTPUT FIRST EVERY 1min", rows)) == ["e0", "e1"]


def test_time_and_id_of_a_row_do_not_change() -> None:
    rows = readings(*TIMES)
    given = {row["_id"]: row["_time"] for row in answer("SELECT ?e.sensor AS s", rows)}
    assert sorted(given.values()) == [at(t) for t in TIMES]
    found = answer("CREATE QUERY q AS SELECT ?e.sensor AS s OUTPUT LAST EVERY 2s", rows)
    same = {row["_id"]: row["_time"] for row in answer("CREATE QUERY q AS SELECT ?e.sensor AS s", rows)}
    assert {row["_id"]: row["_time"] for row in found}.items() <= same.items()


def test_limit_counts_matches_and_ends_every_period() -> None:
    query = compiled("SELECT ?e LIMIT 3 OUTPUT LAST EVERY 1min")
    operator = build_operator(query)
    assert events(feed(operator, query, readings(*TIMES), until=10)) == ["e2"]
    assert operator.ended
    assert not operator.waiting


def test_groups_of_an_event_with_several_solutions_give_rows_of_their_own() -> None:
    path = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor}"
    rows = [{"id": "p", "t": 0, "?floor": 1}, {"id": "p", "t": 0, "?floor": 2}, {"id": "q", "t": 1, "?floor": 2}]
    found = answer(f"SELECT ?e {path} GROUP BY ?floor OUTPUT LAST EVERY 5s", rows)
    assert events(found) == ["p", "q"]
    assert len({row["_id"] for row in answer(f"SELECT ?e {path} GROUP BY ?floor OUTPUT ALL EVERY 5s", rows)}) == 3


def test_an_operator_says_what_it_holds_back() -> None:
    query = compiled("SELECT ?e OUTPUT ALL EVERY 2s")
    operator = build_operator(query)
    assert operator.held_since is None
    feed(operator, query, readings(0.5, 1, 2.5), until=1.5)
    assert operator.held_since == at(0.5)
    again = build_operator(query)
    again.restore(operator.snapshot())
    assert again.held_since == at(0.5)
    assert again.waiting
    feed(again, query, [], until=3)
    assert again.held_since == at(2.5)
    feed(again, query, [], until=4)
    assert again.held_since is None
    assert not again.waiting


@pytest.mark.parametrize("rate", ["FIRST EVERY 2s", "FIRST EVERY 2 matches", "LAST EVERY 2 matches"])
def test_state_goes_on_after_a_restart(rate: str) -> None:
    query = compiled(f"SELECT ?e GROUP BY ?e.sensor OUTPUT {rate}")
    rows = readings(*TIMES, sensors="st")
    whole = answer(query, rows)
    operator, found = build_operator(query), []
    for row in rows:
        found += feed(operator, query, [row], until=row["t"] + 0.1)
        state = operator.snapshot()
        operator = build_operator(query)
        operator.restore(state)
    assert found + feed(operator, query, []) == whole
