"""The oracle's windows, aggregates and bounds in time: examples computed by hand."""

from __future__ import annotations

import pytest
from support.reports import ALL, ask, at, column, flows, report, seconds_of


class TestWindows:
    def test_a_sliding_window_excludes_its_width(self) -> None:
        rows = ask("SELECT SUM(?e.flowrate) AS s WINDOW (?e, sliding, 2s)", *[report(i, 2.0**i) for i in range(4)])
        assert column(rows, "s") == [1.0, 3.0, 6.0, 12.0]
        assert rows[1]["_window"] == {"start": at(-1), "end": at(1)}
        assert rows[1]["_events"] == {"e": ["urn:kaicep:event:airflowReport/D105/1336123801000000"]}

    def test_a_sliding_window_holds_what_comes_before_in_total_order(self) -> None:
        rows = ask("SELECT COUNT(?e) AS n WINDOW (?e, sliding, 2s)", report(0, 1.0, "y"), report(0, 1.0, "x"))
        assert column(rows, "n") == [1, 2]

    def test_a_sliding_window_of_events(self) -> None:
        rows = ask(
            "SELECT SUM(?e.flowrate) AS s WINDOW (?e, sliding, 2 events)", *[report(i, 2.0**i) for i in (0, 1, 3)]
        )
        assert column(rows, "s") == [1.0, 3.0, 10.0]
        assert rows[2]["_window"] == {"start": at(1), "end": at(3)}

    def test_batches_are_aligned_to_the_epoch_and_report_at_their_end(self) -> None:
        rows = ask("SELECT COUNT(?e) AS n WINDOW (?e, batch, 7s)", report(0, 1.0), report(1, 1.0), report(9, 1.0))
        assert column(rows, "n") == [2, 1]
        assert seconds_of(rows) == [3.0, 10.0]  # 09:30:00 is 4 s after a multiple of 7 s
        assert rows[0]["_window"] == {"start": at(-4), "end": at(3)}

    def test_batches_from_the_first_candidate_begin_together_for_all_groups(self) -> None:
        text = "SELECT ?e.sensorID, COUNT(?e) AS n WINDOW (?e, batch, 2s, START first) GROUP BY ?e.sensorID"
        rows = ask(text, report(0.5, 1.0, "x"), report(2.4, 1.0, "y"), report(2.5, 1.0, "y"))
        assert [(r["sensorID"], r["n"]) for r in rows] == [("x", 1), ("y", 1), ("y", 1)]
        assert seconds_of(rows) == [2.5, 2.5, 4.5]

    def test_batches_from_a_moment_are_aligned_to_it_on_both_sides(self) -> None:
        text = "SELECT COUNT(?e) AS n WINDOW (?e, batch, 2s, START 2012-05-04T09:30:01Z)"
        assert seconds_of(ask(text, report(0, 1.0), report(1, 1.0))) == [1.0, 3.0]

    def test_batches_of_events_are_full_runs_per_group(self) -> None:
        text = "SELECT SUM(?e.flowrate) AS s WINDOW (?e, batch, 2 events) GROUP BY ?e.sensorID"
        rows = ask(text, report(0, 1.0), report(1, 2.0, "x"), report(2, 4.0), report(3, 8.0), report(4, 16.0, "x"))
        assert column(rows, "s") == [5.0, 18.0]
        assert seconds_of(rows) == [2.0, 4.0]

    def test_hopping_windows_begin_at_multiples_of_the_step_and_report_at_their_ends(self) -> None:
        rows = ask("SELECT COUNT(?e) AS n WINDOW (?e, hopping, 4s, 2s)", report(0, 1.0), report(1, 1.0), report(2, 1.0))
        assert column(rows, "n") == [2, 3, 1]
        assert seconds_of(rows) == [2.0, 4.0, 6.0]
        assert rows[1]["_window"] == {"start": at(0), "end": at(4)}

    def test_a_step_beyond_the_size_leaves_gaps(self) -> None:
        rows = ask("SELECT COUNT(?e) AS n WINDOW (?e, hopping, 1s, 3s)", *[report(i, 1.0) for i in (0, 1, 2, 3)])
        assert column(rows, "n") == [1, 1]
        assert seconds_of(rows) == [1.0, 4.0]

    def test_hopping_windows_of_events_are_full_and_begin_at_every_mth_candidate_of_a_group(self) -> None:
        text = "SELECT SUM(?e.flowrate) AS s WINDOW (?e, hopping, {}) GROUP BY ?e.sensorID"
        events = [report(i, 2.0**i, "y" if i == 2 else "x") for i in range(6)]
        assert column(ask(text.format("3 events, 1 events"), *events), "s") == [11.0, 26.0, 56.0]
        assert column(ask(text.format("1 events, 2 events"), *events), "s") == [1.0, 4.0, 8.0, 32.0]

    def test_cumulating_windows_report_at_every_step_up_to_the_size(self) -> None:
        rows = ask("SELECT COUNT(?e) AS n WINDOW (?e, cumulate, 4s, 1s)", *[report(i, 1.0) for i in (1, 3, 6)])
        assert column(rows, "n") == [1, 1, 2, 1, 1]
        assert seconds_of(rows) == [2.0, 3.0, 4.0, 7.0, 8.0]
        assert rows[2]["_window"] == {"start": at(0), "end": at(4)}

    def test_a_session_ends_when_nothing_comes_for_the_gap(self) -> None:
        text = "SELECT ?e.sensorID, COUNT(?e) AS n WINDOW (?e, session, 2s) GROUP BY ?e.sensorID"
        events = [report(0, 1.0), report(1.9, 1.0), report(2, 1.0, "x"), report(3.9, 1.0)]
        rows = ask(text, *events)
        assert [(r["sensorID"], r["n"]) for r in rows] == [("D105", 2), ("x", 1), ("D105", 1)]
        assert seconds_of(rows) == [3.9, 4.0, 5.9]
        assert rows[0]["_window"] == {"start": at(0), "end": at(3.9)}

    def test_the_short_form_reports_the_aggregate_while_the_comparison_is_true(self) -> None:
        text = "SELECT AVG(?e.flowrate) > 500 AS avgrate WINDOW (?e, sliding, 2s)"
        rows = ask(text, report(0, 400.0), report(1, 602.0), report(2, 390.0))
        assert column(rows, "avgrate") == [501.0]

    def test_having_is_the_general_form(self) -> None:
        text = "SELECT MAX(?e.flowrate) AS m WINDOW (?e, sliding, 9s) HAVING COUNT(?e) = 2 OR MAX(?e.flowrate) > 5"
        assert column(ask(text, report(0, 1.0), report(1, 2.0), report(2, 3.0), report(3, 6.0)), "m") == [2.0, 6.0]

    def test_aggregates_of_nothing(self) -> None:
        some = "COUNT(?e.flowrate) AS n, SUM(?e.flowrate) AS s, AVG(?e.flowrate) AS a, MIN(?e.flowrate) AS m"
        (row,) = ask(f"SELECT {some} WINDOW (?e, sliding, 1s)", report(0, None))
        assert (row["n"], row["s"], row["a"], row["m"]) == (0, 0, None, None)

    def test_the_standard_deviation_is_of_a_sample(self) -> None:
        rows = ask(
            "SELECT STDDEV(?e.flowrate) AS d WINDOW (?e, sliding, 9s)", *[report(i, x) for i, x in ((0, 1.0), (1, 3.0))]
        )
        assert column(rows, "d") == [None, pytest.approx(2**0.5)]

    def test_medians_and_percentiles_interpolate(self) -> None:
        text = "SELECT MEDIAN(?e.flowrate) AS m, PERCENTILE(?e.flowrate, 75) AS p WINDOW (?e, batch, 4 events)"
        (row,) = ask(text, report(0, 7.0), report(1, 1.0), report(2, 2.0), report(3, 4.0))
        assert (row["m"], row["p"]) == (3.0, 4.75)

    def test_the_mode_is_the_smallest_of_the_most_frequent(self) -> None:
        text = "SELECT MODE(?e.flowrate) AS m WINDOW (?e, batch, 5 events)"
        (row,) = ask(text, *[report(i, x) for i, x in enumerate((7.0, 2.0, 7.0, 2.0, 1.0))])
        assert row["m"] == 2.0

    def test_sums_are_exact(self) -> None:
        rows = ask(
            "SELECT SUM(?e.flowrate) AS s WINDOW (?e, batch, 3 events)",
            report(0, 1e16),
            report(1, 1.0),
            report(2, -1e16),
        )
        assert column(rows, "s") == [1.0]


class TestWithin:
    EVENTS = (report(1, 1.0), report(2, 2.0), report(3, 3.0), report(4, 4.0))

    @pytest.mark.parametrize(
        ("bounds", "expected"),
        [
            ("(2012-05-04T09:30:02Z, 2012-05-04T09:30:03Z)", [2.0, 3.0]),
            ("[2012-05-04T09:30:02Z, 2012-05-04T09:30:04Z]", [3.0]),
            ("[now, )", [4.0]),
            ("(now, )", [3.0, 4.0]),
            ("(now - 1s, now]", [2.0]),
            ("[, now)", [1.0, 2.0, 3.0]),
            ("(, now + 1s]", [1.0, 2.0, 3.0]),
        ],
    )
    def test_round_brackets_include_and_square_ones_exclude(self, bounds: str, expected: list[float]) -> None:
        assert flows(ask(f"{ALL} WITHIN {bounds}", *self.EVENTS, registered_at=at(3.5))) == expected

    def test_by_default_a_query_looks_at_what_comes_after_now(self) -> None:
        assert flows(ask(ALL, *self.EVENTS, registered_at=at(3))) == [3.0, 4.0]
        assert flows(ask(ALL, *self.EVENTS)) == [1.0, 2.0, 3.0, 4.0]

    def test_before_the_first_event_now_bounds_nothing_below_and_everything_above(self) -> None:
        assert len(ask(f"{ALL} WITHIN (now + 1h, )", *self.EVENTS)) == 4
        assert ask(f"{ALL} WITHIN (, now + 1h)", *self.EVENTS) == []

    def test_a_window_that_the_upper_bound_cuts_is_reported_with_what_it_holds(self) -> None:
        text = "SELECT COUNT(?e) AS n WITHIN (, 2012-05-04T09:30:03Z] WINDOW (?e, batch, 1min)"
        rows = ask(text, *self.EVENTS)
        assert (column(rows, "n"), seconds_of(rows)) == ([2], [60.0])
