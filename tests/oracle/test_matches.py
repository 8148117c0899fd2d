"""The oracle's matches, and which of them become rows: examples computed by hand."""

from __future__ import annotations

import pytest
from support.reports import ALL, LOCATED, PAIR, ask, column, flows, report, seconds_of


class TestMatches:
    def test_equal_time_stamps_are_not_a_sequence(self) -> None:
        text = f"SELECT ?a.sensorID AS a {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
        rows = ask(text, report(0, 1.0, "x"), report(0, 1.0, "y"), report(5, 1.0, "z"))
        assert column(rows, "a") == ["x", "y"]

    def test_a_correlation_window_includes_its_width(self) -> None:
        text = f"SELECT ?a.flowrate {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
        assert flows(ask(text, report(0, 1.0), report(5, 2.0), report(5.1, 3.0))) == [1.0, 2.0]

    def test_distinct_variables_are_distinct_events(self) -> None:
        text = f"SELECT ?a.flowrate AS a, ?b.flowrate AS b {PAIR} JOIN (?a.sensorID = ?b.sensorID) WINDOW (?a, ?b, 5s)"
        rows = ask(text, report(0, 1.0), report(1, 2.0))
        assert [(row["a"], row["b"]) for row in rows] == [(1.0, 2.0), (2.0, 1.0)]

    def test_a_sliding_window_beside_join_excludes_its_width(self) -> None:
        windows = "WINDOW (?a, sliding, 2s) WINDOW (?b, sliding, 2s)"
        text = f"SELECT ?a.flowrate {PAIR} JOIN (?a.flowrate < ?b.flowrate) {windows}"
        assert flows(ask(text, report(0, 1.0), report(2, 2.0), report(3, 3.0))) == [2.0]

    def test_a_sliding_window_of_events_counts_candidates(self) -> None:
        windows = "WINDOW (?a, sliding, 2 events) WINDOW (?b, sliding, 1 events)"
        text = f"SELECT ?a.flowrate {PAIR} FILTER (?a.flowrate != 2) JOIN (?a.flowrate < ?b.flowrate) {windows}"
        rows = ask(text, report(0, 1.0), report(1, 2.0), report(2, 3.0), report(3, 4.0))
        assert flows(rows) == [1.0, 1.0, 3.0]

    def test_partitions_agree_and_unbound_is_one(self) -> None:
        text = f"SELECT ?a.flowrate {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 9s) PARTITION BY sensorID"
        rows = ask(text, report(0, 1.0, None), report(1, 2.0), report(2, 3.0, None), report(3, 4.0))
        assert flows(rows) == [1.0, 2.0]

    def test_rows_come_by_last_event_then_the_one_that_began_earliest(self) -> None:
        text = f"SELECT ?a.flowrate AS a, ?b.flowrate AS b {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 9s) LIMIT 4"
        rows = ask(text, report(1, 2.0), report(0, 1.0), report(2, 3.0), report(3, 4.0))
        assert [(row["a"], row["b"]) for row in rows] == [(1.0, 2.0), (1.0, 3.0), (2.0, 3.0), (1.0, 4.0)]

    def test_a_match_is_reported_once_whatever_was_bound_on_the_way(self) -> None:
        text = f"SELECT ?e.flowrate PATH {{ {LOCATED} ?loc bd:capacity ?cap }} FILTER (?cap > 0)"
        assert flows(ask(text, report(0, 1.0, "HALL"))) == [1.0]


class TestAfterMatch:
    @pytest.mark.parametrize(
        ("after", "expected"),
        [
            ("KEEP ALL", ["01", "02", "12", "03", "13", "23"]),
            ("SKIP PAST LAST EVENT", ["01", "23"]),
            ("SKIP TO NEXT EVENT", ["01", "12", "23"]),
            ("SKIP TO FIRST ?a", ["01", "02", "12", "13", "23"]),
            ("SKIP TO LAST ?b", ["01", "12", "23"]),
            ("CONSUME", ["01", "23"]),
        ],
    )
    def test_what_may_follow_a_match(self, after: str, expected: list[str]) -> None:
        text = f"SELECT ?a.flowrate AS a, ?b.flowrate AS b {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 9s) AFTER MATCH {after}"
        rows = ask(text, *[report(i, float(i)) for i in range(4)])
        assert [f"{row['a']:.0f}{row['b']:.0f}" for row in rows] == expected

    def test_each_partition_goes_by_itself_and_limit_counts_what_stands(self) -> None:
        after = "PARTITION BY sensorID AFTER MATCH SKIP PAST LAST EVENT LIMIT 3"
        text = f"SELECT ?b.flowrate {PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 9s) {after}"
        assert flows(ask(text, *[report(i, float(i), "xy"[i % 2]) for i in range(8)])) == [2.0, 3.0, 6.0]


class TestDistinct:
    def test_a_row_whose_items_were_reported_is_not_reported_again(self) -> None:
        events = [
            report(i, x, s) for i, (x, s) in enumerate([(1.0, "x"), (2.0, "x"), (1.0, "x"), (None, "y"), (None, "y")])
        ]
        rows = ask("SELECT DISTINCT ?e.flowrate", *events)
        assert flows(rows) == [1.0, 2.0, None]
        assert seconds_of(rows) == [0.0, 1.0, 3.0]

    def test_limit_counts_the_rows_that_are_left(self) -> None:
        events = [report(i, x) for i, x in enumerate((0.0, -0.0, 2.0, 3.0))]
        assert flows(ask("SELECT DISTINCT ?e.flowrate LIMIT 2", *events)) == [0.0, 2.0]


class TestOutput:
    EVENTS = tuple(report(t, float(i), "xyx"[i % 3]) for i, t in enumerate((0, 1, 2.5, 4, 4.5, 9)))

    @pytest.mark.parametrize(
        ("rate", "expected"),
        [
            ("ALL EVERY 2s", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
            ("FIRST EVERY 2s", [0.0, 2.0, 3.0, 5.0]),
            ("LAST EVERY 2s", [1.0, 2.0, 4.0, 5.0]),
            ("FIRST EVERY 4 matches", [0.0, 4.0]),
            ("LAST EVERY 4 matches", [3.0, 5.0]),
        ],
    )
    def test_of_each_period_some_rows_are_handed_over(self, rate: str, expected: list[float]) -> None:
        assert flows(ask(f"{ALL} OUTPUT {rate}", *self.EVENTS)) == expected

    @pytest.mark.parametrize(
        ("rate", "expected"),
        [
            ("ALL EVERY 2 matches", [0.0, 2.0, 1.0, 4.0, 3.0, 5.0]),
            ("FIRST EVERY 2 matches", [0.0, 1.0, 3.0]),
            ("LAST EVERY 2 matches", [2.0, 4.0, 5.0]),
            ("LAST EVERY 5s", [3.0, 4.0, 5.0]),
        ],
    )
    def test_each_group_has_periods_of_its_own(self, rate: str, expected: list[float]) -> None:
        assert flows(ask(f"{ALL} GROUP BY ?e.sensorID OUTPUT {rate}", *self.EVENTS)) == expected

    def test_limit_counts_matches_before_output_chooses_among_them(self) -> None:
        assert flows(ask(f"{ALL} LIMIT 3 OUTPUT LAST EVERY 5s", *self.EVENTS)) == [2.0]
