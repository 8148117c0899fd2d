"""Matches over several events: SEQ, JOIN, WINDOW, PARTITION BY (docs/semantics.md 3.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from kaicep.cep import build_operator
from kaicep.cep.joins import range_join
from kaicep.cep.joins.pattern_operator import PatternKernel
from kaicep.cep.match import index_probe
from kaicep.errors import OperatorError
from kaicep.language.nodes import Element, Link, Quantifier, SessionWindow
from support.operators import Reading, answer, compiled, events, feed, short

SEQ = "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
JOIN = "SELECT ?a FROM (?a, readings), (?b, readings)"


def reading(name: str, t: float, **values: object) -> Reading:
    return {"id": name, "t": t, **values}


def test_sequence_is_strictly_ordered_in_time() -> None:
    """Equal time stamps are not a sequence, whatever the ids."""
    assert events(answer(SEQ, [reading("p", 1), reading("q", 1), reading("r", 2)])) == ["p r", "q r"]


def test_window_includes_its_width() -> None:
    rows = [reading("p", 0), reading("q", 5), reading("r", 5.000001)]
    assert events(answer(SEQ, rows)) == ["p q", "q r"]


def test_distinct_variables_bind_distinct_events_in_any_order() -> None:
    text = f"{JOIN} JOIN (?a.n <= ?b.n) WINDOW (?a, ?b, 1s)"
    assert events(answer(text, [reading("p", 0, n=1), reading("q", 1, n=1)])) == ["p q", "q p"]


def test_join_keys_that_are_unbound_or_nan_match_nothing() -> None:
    text = f"{JOIN} JOIN (?a.x = ?b.x) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"
    values = [None, None, float("nan"), float("nan"), 0.0, -0.0]
    rows = [reading(f"e{i}", i, x=x) for i, x in enumerate(values)]
    assert events(answer(text, rows)) == ["e4 e5"]


def test_join_of_an_integer_and_a_double_is_by_value() -> None:
    text = f"{JOIN} JOIN (?a.n * 2 = ?b.x + 1) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"
    rows = [reading("p", 0, n=2), reading("q", 1, x=3.0), reading("r", 2, x=2.5)]
    assert events(answer(text, rows)) == ["p q"]


def test_residual_condition_over_three_variables() -> None:
    text = (
        "SELECT ?a FROM (?a, readings), (?b, readings), (?c, readings) JOIN (?a.n + ?b.n = ?c.n) "
        "SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 9s)"
    )
    rows = [reading(f"e{n}", n, n=n) for n in (1, 2, 3, 4, 5)]
    assert events(answer(text, rows)) == ["e1 e2 e3", "e1 e3 e4", "e1 e4 e5", "e2 e3 e5"]


def test_windows_of_neighbours_bound_the_gaps() -> None:
    text = (
        "SELECT ?a FROM (?a, readings), (?b, readings), (?c, readings) SEQ (?a, ?b, ?c) "
        "WINDOW (?a, ?b, 2s) WINDOW (?b, ?c, 2s)"
    )
    rows = [reading("p", 0), reading("q", 2), reading("r", 4), reading("s", 7)]
    assert events(answer(text, rows)) == ["p q r"]


def test_variable_outside_the_sequence_may_come_at_any_time() -> None:
    text = (
        "SELECT ?a FROM (?a, readings), (?b, readings), (?c, alarms) JOIN (?a.sensor = ?c.sensor) "
        "SEQ (?a, ?b) WINDOW (?a, ?b, ?c, 9s)"
    )
    rows = [
        reading("p", 1, sensor="s"),
        reading("q", 2, sensor="t"),
        reading("c0", 0, sensor="s", stream="alarms"),
        reading("c1", 1, sensor="s", stream="alarms"),
        reading("c3", 3, sensor="s", stream="alarms"),
        reading("c4", 4, sensor="t", stream="alarms"),
    ]
    assert events(answer(text, rows)) == ["p q c0", "p q c1", "p q c3"]


def test_sliding_window_next_to_join() -> None:
    """When the last event comes at t, the event bound to the variable has T > t − w."""
    text = f"{JOIN} JOIN (?a.n = ?b.n) WINDOW (?a, sliding, 2s) WINDOW (?b, sliding, 3s)"
    rows = [reading("p", 0, n=1), reading("q", 2, n=1), reading("r", 4.5, n=1)]
    assert events(answer(text, rows)) == ["q p", "r q"]


def test_sliding_window_of_events_counts_candidates_when_the_last_event_comes() -> None:
    text = f"{JOIN} JOIN (?a.n != ?b.n) FILTER (?a.ok) WINDOW (?a, sliding, 2 events) WINDOW (?b, sliding, 9s)"
    rows = [reading(f"e{n}", n, n=n, ok=n != 2) for n in range(5)]
    # candidates of ?a: e0 e1 e3 e4; b = e2 comes when the last two are e0 e1, b = e4 when they are e3 e4
    assert events(answer(text, rows)) == [
        "e0 e1", "e1 e0", "e0 e2", "e1 e2", "e3 e0", "e1 e3", "e3 e1", "e3 e2", "e4 e0", "e4 e1", "e4 e2", "e3 e4",
        "e4 e3",
    ]  # fmt: skip


def test_what_a_join_refuses_counts_in_a_window_of_events() -> None:
    text = f"{JOIN} JOIN (?a.ok AND ?a.n < ?b.n) WINDOW (?a, sliding, 1 events) WINDOW (?b, sliding, 9s)"
    rows = [reading("e0", 0, n=0, ok=True), reading("e1", 1, n=1, ok=False), reading("e2", 2, n=2, ok=False)]
    assert events(answer(text, rows)) == []


def test_partition_by_takes_unbound_for_a_value() -> None:
    text = "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, ?b) WINDOW (?a, ?b, 9s) PARTITION BY sensor"
    sensors = ["s", None, "s", None, "t"]
    rows = [reading(f"e{i}", i, sensor=sensor) for i, sensor in enumerate(sensors)]
    assert events(answer(text, rows)) == ["e0 e2", "e1 e3"]


def test_partition_by_of_two_attributes() -> None:
    text = "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, ?b) WINDOW (?a, ?b, 9s) PARTITION BY sensor, n"
    rows = [reading(f"e{i}", i, sensor=s, n=n) for i, (s, n) in enumerate([("s", 1), ("s", 2), ("t", 1), ("s", 2)])]
    assert events(answer(text, rows)) == ["e1 e3"]


def test_rows_come_by_last_event_then_first_event_then_the_others() -> None:
    text = "SELECT ?a FROM (?a, readings), (?b, readings), (?c, readings) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 9s)"
    rows = [reading(name, t) for name, t in (("d", 3), ("z", 1), ("a", 2), ("y", 0))]
    assert events(answer(text, rows)) == ["y z a", "y z d", "y a d", "z a d"]


def test_having_is_asked_of_matches() -> None:
    text = f"{SEQ} HAVING (?b.n - ?a.n > 1)"
    assert events(answer(text, [reading(f"e{n}", n, n=n) for n in range(3)])) == ["e0 e2"]


def test_items_come_from_the_bound_events() -> None:
    text = (
        "SELECT ?a.n AS first, ?b.n AS second, ?b.n - ?a.n AS gain FROM (?a, readings), (?b, readings) "
        "SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
    )
    (row,) = answer(text, [reading("p", 0, n=1), reading("q", 2, n=5)])
    assert short([row]) == [{"first": 1, "second": 5, "gain": 4}]
    assert row["_events"] == {"a": ["p"], "b": ["q"]}


def test_sequence_of_one() -> None:
    assert events(answer("SELECT ?a FROM (?a, readings) SEQ (?a)", [reading("q", 1), reading("p", 0)])) == ["p", "q"]


def test_state_is_bounded_by_windows() -> None:
    """Only what a later event can still reach is kept; the last element of a sequence never is."""
    query = compiled(SEQ)
    operator = build_operator(query)
    feed(operator, query, [reading(f"e{t}", t) for t in range(100)], until=100)
    kept = operator.kernel._buffer.frames  # type: ignore[attr-defined]  # the state is private to the kernel
    assert {variable: frame.height for variable, frame in kept.items()} == {"a": 5, "b": 0}


def test_retention_bounds_a_match() -> None:
    text = "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, ?b)"
    query = compiled(text, retention=timedelta(seconds=2))
    operator = build_operator(query)
    rows = feed(operator, query, [reading(f"e{t}", t) for t in range(0, 8, 2)] + [reading("f", 7)], until=9)
    assert events(rows) == ["e0 e2", "e2 e4", "e4 e6", "e6 f"]
    assert operator.kernel._buffer.frames["a"].height == 1  # type: ignore[attr-defined]  # the state is private to the kernel


def test_pairs_are_enumerated_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few pairs are held at once, the answer is the same; a chunk may end within one event's partners."""
    text = (
        "SELECT ?a FROM (?a, readings), (?b, readings), (?c, readings) JOIN (?a.n + ?b.n != ?c.n) "
        "WINDOW (?a, ?b, ?c, 4s)"
    )
    rows = [reading(f"e{i}", i * 0.5, n=i % 3) for i in range(12)]
    whole = answer(text, rows)
    monkeypatch.setattr(index_probe, "PAIRS_AT_ONCE", 3)
    assert len(whole) > 100
    assert answer(text, rows) == whole


def test_keys_and_times_that_do_not_fit_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates are then found by key and row instead of key and time."""
    text = f"{JOIN} JOIN (?a.n = ?b.n AND ?a.x = ?b.x) WINDOW (?a, ?b, 4s)"
    rows = [reading(f"e{i}", i * 0.5, n=i % 3 or None, x=i % 2 / 2) for i in range(30)]
    whole = answer(text, rows)
    monkeypatch.setattr(range_join, "_MOST", 1)
    assert len(whole) > 20
    assert answer(text, rows) == whole


def test_repetitions_are_not_for_joins_of_columns() -> None:
    query = compiled(SEQ)
    twice = Quantifier(2, 2, Link.NEXT, every_length=False, until=None, span=query.span)
    with pytest.raises(OperatorError) as caught:
        PatternKernel(replace(query, pattern=Element("a", twice, query.span)))
    assert str(caught.value) == "a repetition is not answered by joins of columns"


def test_window_over_several_variables_has_to_be_a_correlation_window() -> None:
    query = compiled(SEQ)
    session = SessionWindow("a", timedelta(seconds=1), query.span)
    with pytest.raises(OperatorError) as caught:
        build_operator(replace(query, windows=(session,)))
    expected = "SessionWindow over several variables cannot be run yet: write WINDOW (?a, ?b, 5min)"
    assert str(caught.value) == expected


TWO_FLOORS = (
    "SELECT ?a.n AS n FROM (?a, readings), (?b, readings), (?m, readings), (?k, readings) "
    "PATH {?a evt:hasSource ?s . ?s bd:floor ?floor} "
    "FILTER (?a.n = 1) FILTER (?b.n = 2) FILTER (?m.n = 3) FILTER (?k.n = 4) JOIN (?floor > 0 OR ?b.n > 0) "
    "SEQ (?a, ?b, (NOT ?m FOR 1s OR NOT ?k FOR 3s)) WINDOW (?a, ?b, 9s)"
)


@pytest.mark.parametrize("between", [None, 2.5], ids=["at once", "when the first NOT has ended"])
@pytest.mark.parametrize(("group", "count"), [("", 1), (" GROUP BY ?floor OUTPUT ALL EVERY 1 matches", 2)])
def test_solutions_that_differ_in_nothing_selected_are_one_match_whichever_not_ends_first(
    between: float | None, group: str, count: int
) -> None:
    query = compiled(TWO_FLOORS + group)
    operator = build_operator(query)
    rows = [reading("p", 0, n=1, **{"?floor": floor}) for floor in (1, 2)] + [reading("q", 1, n=2)]
    found = feed(operator, query, rows, 1.5)
    found += [] if between is None else feed(operator, query, [], between)
    found += feed(operator, query, [])
    assert events(found) == ["p q"] * count
    assert len({row["_id"] for row in found}) == count
