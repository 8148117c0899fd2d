"""Aggregates over windows (docs/semantics.md 3.14)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from kaicep.cep import build_operator
from kaicep.errors import OperatorError
from kaicep.language.nodes import HoppingWindow
from support.operators import Reading, answer, at, compiled, events, feed, short


def readings(*values: tuple[float, object]) -> list[Reading]:
    return [{"id": f"e{i}", "t": t, "x": x} for i, (t, x) in enumerate(values)]


def test_sliding_window_leaves_out_what_is_exactly_its_width_older() -> None:
    rows = answer("SELECT SUM(?e.x) AS s WINDOW (?e, sliding, 2s)", readings((0, 1.0), (1, 2.0), (2, 4.0), (2.5, 8.0)))
    assert short(rows) == [{"s": 1.0}, {"s": 3.0}, {"s": 6.0}, {"s": 14.0}]
    assert [row["_window"] for row in rows][1] == {"start": at(-1), "end": at(1)}
    assert [row["_time"] for row in rows] == [at(0), at(1), at(2), at(2.5)]


def test_sliding_window_holds_equal_time_stamps_up_to_the_event_in_total_order() -> None:
    rows = [{"id": i, "t": 1, "x": x} for i, x in (("b", 1.0), ("a", 2.0), ("c", 4.0))]
    found = answer("SELECT SUM(?e.x) AS s WINDOW (?e, sliding, 1s)", rows)
    assert list(zip(events(found), [row["s"] for row in found], strict=True)) == [("a", 2.0), ("b", 3.0), ("c", 7.0)]


def test_sliding_window_of_events() -> None:
    rows = answer("SELECT SUM(?e.x) AS s WINDOW (?e, sliding, 2 events)", readings((0, 1.0), (1, 2.0), (9, 4.0)))
    assert short(rows) == [{"s": 1.0}, {"s": 3.0}, {"s": 6.0}]
    assert rows[2]["_window"] == {"start": at(1), "end": at(9)}


def test_aggregates_skip_unbound_values() -> None:
    text = (
        "SELECT AVG(?e.x) AS a, SUM(?e.x) AS s, COUNT(?e.x) AS c, COUNT(?e) AS n, MIN(?e.x) AS lo, MAX(?e.x) AS hi, "
        "STDDEV(?e.x) AS d, FIRST(?e.x) AS f, LAST(?e.x) AS l, COUNT(DISTINCT ?e.x) AS k WINDOW (?e, sliding, 3 events)"
    )
    rows = short(answer(text, readings((0, None), (1, 5.0), (2, None), (3, 1.0), (4, 5.0))))
    nothing = {"a": None, "lo": None, "hi": None, "d": None, "f": None, "l": None}
    five = {"a": 5.0, "s": 5.0, "c": 1, "lo": 5.0, "hi": 5.0, "d": None, "f": 5.0, "l": 5.0, "k": 1}
    assert rows[0] == {**nothing, "s": 0.0, "c": 0, "n": 1, "k": 0}
    assert rows[1:3] == [{**five, "n": 2}, {**five, "n": 3}]
    spread = {"a": 3.0, "s": 6.0, "c": 2, "n": 3, "lo": 1.0, "hi": 5.0, "d": 8**0.5, "k": 2}
    assert rows[3:] == [{**spread, "f": 5.0, "l": 1.0}, {**spread, "f": 1.0, "l": 5.0}]


def test_first_and_last_count_values_in_windows() -> None:
    text = "SELECT FIRST(?e.x, 1) AS second, LAST(?e.x, 1) AS but_last, LAST(?e.x, 2) AS third WINDOW (?e, sliding, 3s)"
    rows = short(answer(text, readings((0, 1.0), (1, None), (2, 2.0), (3, 4.0), (9, 8.0))))
    assert [tuple(row.values()) for row in rows] == [
        (None, None, None), (None, None, None), (2.0, 1.0, None), (4.0, 2.0, None), (None, None, None)
    ]  # fmt: skip


def test_first_with_a_number_stands_in_having_and_in_groups() -> None:
    text = "SELECT ?e.note, FIRST(?e.x, 1) AS x WINDOW (?e, batch, 3 events) GROUP BY ?e.note HAVING FIRST(?e.x, 1) > 3"
    rows = [{"id": f"e{i}", "t": i, "x": float(i), "note": "uv"[i % 2]} for i in range(6)]
    assert short(answer(text, rows)) == []
    assert short(answer(text.replace("> 3", "> 1"), rows)) == [{"note": "u", "x": 2.0}, {"note": "v", "x": 3.0}]


def test_aggregates_of_text_booleans_and_moments() -> None:
    text = (
        "SELECT MIN(?e.note) AS a, MAX(?e.note) AS z, MAX(?e.ok) AS ok, MIN(?e.timestamp) AS since, "
        "COUNT(DISTINCT ?e.note) AS k WINDOW (?e, batch, 4 events)"
    )
    rows = [{"id": f"e{i}", "t": i, "note": n, "ok": i == 1} for i, n in enumerate(("b", "ä", None, "b"))]
    assert short(answer(text, rows)) == [{"a": "b", "z": "ä", "ok": True, "since": at(0), "k": 2}]


def test_infinities_and_nan() -> None:
    inf, nan = float("inf"), float("nan")
    text = "SELECT SUM(?e.x) AS s, MIN(?e.x) AS lo, STDDEV(?e.x) AS d WINDOW (?e, sliding, 2 events)"
    rows = short(answer(text, readings((0, inf), (1, 1.0), (2, -inf), (3, inf), (4, nan), (5, 2.0), (6, 3.0))))
    assert repr([row["s"] for row in rows]) == "[inf, inf, -inf, nan, nan, nan, 5.0]"
    assert [row["lo"] for row in rows] == [inf, 1.0, -inf, -inf, inf, 2.0, 2.0]
    assert repr(rows[1]["d"]) == "nan"
    assert rows[6]["d"] == 0.5**0.5


def test_integers_sum_exactly_or_not_at_all() -> None:
    text = "SELECT SUM(?e.n) AS s, AVG(?e.n) AS a WINDOW (?e, sliding, 2 events)"
    big = 2**62
    rows = [{"id": f"e{i}", "t": i, "n": n} for i, n in enumerate((big, big - 1, big, 5, -big))]
    assert [row["s"] for row in answer(text, rows)] == [big, 2 * big - 1, 2 * big - 1, big + 5, 5 - big]
    rows = [{"id": f"e{i}", "t": i, "n": n} for i, n in enumerate((big, big, 3))]
    assert [row["s"] for row in answer(text, rows)] == [big, None, big + 3]


def test_sums_do_not_drift() -> None:
    """What has left the window leaves no trace."""
    rows = readings((0, 1e308), (10, 0.1), (11, 0.2), (12, 0.3))
    found = answer("SELECT SUM(?e.x) AS s WINDOW (?e, sliding, 5s)", rows)
    assert [row["s"] for row in found] == [1e308, 0.1, 0.30000000000000004, 0.6]


def test_batch_windows_from_the_epoch_are_reported_when_the_watermark_passes_their_end() -> None:
    query = compiled("SELECT COUNT(?e) AS c WINDOW (?e, batch, 2s)")
    operator = build_operator(query)
    assert feed(operator, query, readings((0, 1), (1.5, 1), (2, 1)), until=2 - 1e-6) == []
    rows = feed(operator, query, [], until=2)
    assert short(rows) == [{"c": 2}]
    assert rows[0]["_window"] == {"start": at(0), "end": at(2)}
    assert rows[0]["_time"] == at(2)
    assert events(rows) == ["e1"]
    assert short(feed(operator, query, [], until=4)) == [{"c": 1}]


@pytest.mark.parametrize(
    ("start", "windows"),
    [
        ("", [(-2, 1), (0, 2), (6, 1)]),
        (", START first", [(-1, 2), (1, 1), (5, 1)]),
        (", START 2012-05-07T00:00:01Z", [(-1, 2), (1, 1), (5, 1)]),
        (", START 2012-05-07T00:00:01.5Z", [(-2.5, 1), (-0.5, 1), (1.5, 1), (5.5, 1)]),
    ],
)
def test_start_of_batch_windows(start: str, windows: list[tuple[float, int]]) -> None:
    rows = answer(f"SELECT COUNT(?e) AS c WINDOW (?e, batch, 2s{start})", readings((-1, 1), (0, 1), (1.9, 1), (6, 1)))
    assert [(row["_window"]["start"], row["c"]) for row in rows] == [(at(s), c) for s, c in windows]


def test_first_candidate_starts_the_windows_of_all_groups() -> None:
    text = "SELECT COUNT(?e) AS c, ?e.sensor WINDOW (?e, batch, 2s, START first) GROUP BY ?e.sensor"
    rows = [{"id": f"e{i}", "t": t, "sensor": s} for i, (t, s) in enumerate([(1, "s"), (2, "t"), (3, "t"), (3, "s")])]
    found = answer(text, rows)
    assert [(row["c"], row["sensor"]) for row in found] == [(1, "s"), (1, "t"), (1, "t"), (1, "s")]
    assert [row["_time"] for row in found] == [at(3), at(3), at(5), at(5)]


def test_batches_of_events_are_full_runs_of_each_group() -> None:
    text = "SELECT SUM(?e.n) AS s WINDOW (?e, batch, 2 events) GROUP BY ?e.sensor"
    rows = [{"id": f"e{i}", "t": i, "n": 10**i, "sensor": s} for i, s in enumerate(["s", "t", "t", "s", "s", None])]
    found = answer(text, rows)
    assert short(found) == [{"s": 110}, {"s": 1001}]
    assert [(row["_time"], row["_window"]["start"]) for row in found] == [(at(2), at(1)), (at(3), at(0))]


def test_unbound_values_are_a_group_and_groups_may_be_expressions() -> None:
    text = "SELECT COUNT(?e) AS c WINDOW (?e, sliding, 9s) GROUP BY ?e.sensor, ?e.n % 2"
    keys = [("s", 1), (None, 1), ("s", 3), (None, 1), (None, None), (None, None), ("s", 2)]
    rows = [{"id": f"e{i}", "t": i, "sensor": s, "n": n} for i, (s, n) in enumerate(keys)]
    assert [row["c"] for row in answer(text, rows)] == [1, 1, 2, 2, 1, 2, 1]


def test_partition_by_groups_as_well() -> None:
    query = compiled("SELECT COUNT(?e) AS c, ?e.sensor WINDOW (?e, sliding, 9s) GROUP BY ?e.n")
    query = replace(query, partition_by=((("e", "sensor"),),))
    keys = [("s", 1), ("t", 1), ("s", 1), ("s", 2)]
    rows = [{"id": f"e{i}", "t": i, "sensor": s, "n": n} for i, (s, n) in enumerate(keys)]
    assert [row["c"] for row in answer(query, rows)] == [1, 1, 2, 1]


def test_short_form_reports_the_aggregate_while_its_comparison_is_true() -> None:
    rows = readings((0, 400.0), (1, 700.0), (2, 300.0))
    text = "SELECT AVG(?e.x) > 500 AS rate WINDOW (?e, sliding, 9s)"
    found = answer(text, rows)
    assert short(found) == [{"rate": 550.0}]
    assert events(found) == ["e1"]


def test_having_over_arithmetic_of_aggregates_that_are_not_selected() -> None:
    rows = readings((0, 1.0), (1, 3.0), (2, 9.0), (3, 4.0))
    text = "SELECT ?e.x AS last WINDOW (?e, sliding, 2 events) HAVING (MAX(?e.x) - MIN(?e.x) > 4 AND COUNT(?e) = 2)"
    assert short(answer(text, rows)) == [{"last": 9.0}, {"last": 4.0}]


def test_aggregates_over_expressions_and_arithmetic_over_aggregates() -> None:
    rows = [{"id": f"e{i}", "t": i, "x": x, "n": 7} for i, x in enumerate((1.0, 2.0))]
    text = "SELECT AVG(?e.x * 2) + 1 AS a, COUNT(?e) / 2 AS h, SUM(?e.n * 0 + 1) AS ones WINDOW (?e, sliding, 9s)"
    assert short(answer(text, rows)) == [{"a": 3.0, "h": 0.5, "ones": 1}, {"a": 4.0, "h": 1.0, "ones": 2}]


def test_event_with_several_solutions_stands_in_a_window_once_for_each() -> None:
    """The window of an event holds all its solutions, and equal rows are one row."""
    path = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor}"
    rows = [{"id": "p", "t": 0, "?floor": 1}, {"id": "p", "t": 0, "?floor": 2}, {"id": "q", "t": 1, "?floor": 2}]
    text = "SELECT SUM(?floor) AS s FROM (?e, readings) WINDOW (?e, sliding, 9s) " + path
    assert short(answer(text, rows)) == [{"s": 3}, {"s": 5}]
    by_floor = f"SELECT ?floor, COUNT(?e) AS c FROM (?e, readings) WINDOW (?e, sliding, 9s) {path} GROUP BY ?floor"
    assert short(answer(by_floor, rows)) == [{"floor": 1, "c": 1}, {"floor": 2, "c": 1}, {"floor": 2, "c": 2}]


def test_hopping_windows_are_reported_when_the_watermark_passes_their_ends() -> None:
    query = compiled("SELECT COUNT(?e) AS c WINDOW (?e, hopping, 4s, 2s)")
    operator = build_operator(query)
    assert short(feed(operator, query, readings((0, 1), (1, 1), (2, 1)), until=3)) == [{"c": 2}]
    rows = feed(operator, query, [], until=6)
    assert short(rows) == [{"c": 3}, {"c": 1}]
    assert [row["_window"] for row in rows] == [{"start": at(0), "end": at(4)}, {"start": at(2), "end": at(6)}]
    assert [row["_time"] for row in rows] == [at(4), at(6)]
    assert feed(operator, query, []) == []


def test_hopping_windows_may_leave_gaps() -> None:
    rows = answer(
        "SELECT SUM(?e.x) AS s WINDOW (?e, hopping, 1s, 3s)", readings((0, 1.0), (1, 2.0), (3.5, 4.0), (5, 8.0))
    )
    assert [(row["s"], row["_window"]["start"]) for row in rows] == [(1.0, at(0)), (4.0, at(3))]


@pytest.mark.parametrize(
    ("window", "sums"),
    [
        ("3 events, 1 events", [7, 14, 28]),
        ("2 events, 2 events", [3, 12]),
        ("3 events, 2 events", [7, 28]),
        ("1 events, 3 events", [1, 8]),
    ],
)
def test_hopping_windows_of_events(window: str, sums: list[int]) -> None:
    """They are full, begin at every m-th candidate, and each group counts its own."""
    rows = [{"id": f"e{i}", "t": i // 2, "n": 2 ** (i // 2), "sensor": "st"[i % 2]} for i in range(10)]
    query = compiled(f"SELECT SUM(?e.n) AS s WINDOW (?e, hopping, {window}) GROUP BY ?e.sensor")
    expected = [s for s in sums for _ in "st"]
    assert [row["s"] for row in answer(query, rows)] == expected
    operator = build_operator(query)
    one_by_one = [row for r in rows for row in feed(operator, query, [r], until=r["t"])]
    assert [row["s"] for row in one_by_one + feed(operator, query, [])] == expected


def test_cumulating_windows_report_at_each_step_even_when_nothing_came() -> None:
    rows = answer("SELECT COUNT(?e) AS c WINDOW (?e, cumulate, 3s, 1s)", readings((0, 1), (2.5, 1), (4, 1)))
    spans = [(row["c"], row["_window"]["start"], row["_window"]["end"]) for row in rows]
    assert spans == [
        (1, at(0), at(1)), (1, at(0), at(2)), (2, at(0), at(3)), (1, at(3), at(5)), (1, at(3), at(6)),
    ]  # fmt: skip


def test_sessions_end_when_nothing_came_for_the_gap() -> None:
    query = compiled("SELECT COUNT(?e) AS c, ?e.sensor WINDOW (?e, session, 2s) GROUP BY ?e.sensor")
    events_ = [(0, "s"), (1, "t"), (1.9, "s"), (3.9, "s")]
    rows = [{"id": f"e{i}", "t": t, "sensor": s} for i, (t, s) in enumerate(events_)]
    operator = build_operator(query)
    found = feed(operator, query, rows, until=3.9)
    assert short(found) == [{"c": 1, "sensor": "t"}, {"c": 2, "sensor": "s"}]
    assert [row["_window"] for row in found] == [{"start": at(1), "end": at(3)}, {"start": at(0), "end": at(3.9)}]
    assert short(feed(operator, query, [], until=5.9)) == [{"c": 1, "sensor": "s"}]


def test_windows_that_contain_each_other_have_ids_of_their_own() -> None:
    for window in ("hopping, 5s, 1s", "cumulate, 5s, 1s"):
        rows = answer(f"SELECT COUNT(?e) AS c WINDOW (?e, {window})", readings((0, 1)))
        assert len({row["_id"] for row in rows}) == 5, window


def test_state_holds_what_later_windows_can_hold() -> None:
    for window, left in (
        ("sliding, 5s", 4), ("sliding, 3 events", 2), ("batch, 10s", 0), ("batch, 7 events", 2), ("hopping, 5s, 2s", 4),
        ("hopping, 5 events, 2 events", 4), ("hopping, 2 events, 60 events", 40), ("hopping, 1s, 1min", 0),
        ("cumulate, 3s, 1s", 1), ("cumulate, 10s, 1s", 0), ("session, 1s", 0), ("session, 2s", 100),
    ):  # fmt: skip
        query = compiled(f"SELECT COUNT(?e) AS c WINDOW (?e, {window})")
        operator = build_operator(query)
        feed(operator, query, readings(*((t, 1) for t in range(100))), until=100)
        assert operator.kernel._kept.height == left, window  # type: ignore[attr-defined]  # private to the kernel


def test_aggregates_need_one_window() -> None:
    """The compiler refuses these first; a query that is built otherwise is refused as well."""
    query = compiled("SELECT COUNT(?e) AS c WINDOW (?e, batch, 2s)")
    with pytest.raises(OperatorError) as caught:
        build_operator(replace(query, windows=()))
    assert str(caught.value) == "aggregates take one window, not these: none: write one WINDOW of its variable"
    hopping = HoppingWindow("e", timedelta(seconds=1), 2, query.span)
    operator = build_operator(replace(query, windows=(hopping,)))
    with pytest.raises(OperatorError) as caught:
        feed(operator, query, readings((0, 1)))
    assert str(caught.value) == "size and step are of different kinds: give both as durations or as events"
