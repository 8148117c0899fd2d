"""The oracle itself: worked examples of LANGUAGE, computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support.campus import file_of
from support.prefixes import CAMPUS

from oracle import evaluate

BEGIN = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
KNOWLEDGE = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix bd: <http://cei.usc.edu/Building.owl#> . @prefix ee: <http://cei.usc.edu/Equipment.owl#> .
@prefix hvc: <http://cei.usc.edu/HVAC.owl#> . @prefix org: <http://cei.usc.edu/Organization.owl#> .
@prefix evt: <http://cei.usc.edu/Event.owl#> .
hvc:airflow owl:equivalentProperty hvc:airvolume .
hvc:GreenOfficeAirflow hvc:hasValue 500 .
bd:FacultyOffice rdfs:subClassOf bd:Office . bd:Office rdfs:subClassOf bd:Room .
bd:assignedTo rdfs:subPropertyOf bd:belongsTo .
evt:AirflowReport rdfs:subClassOf evt:SensorEvent .
ee:D105 a ee:AirflowSensor ; bd:hasLocation bd:d105 . bd:d105 a bd:FacultyOffice ; bd:assignedTo org:EEDepartment .
ee:M1 a ee:AirflowSensor ; bd:hasLocation bd:m1 . bd:m1 a bd:MeetingRoom ; bd:belongsTo org:EEDepartment .
ee:HALL a ee:AirflowSensor ; bd:hasLocation bd:h1 , bd:h2 . bd:h1 bd:capacity 80 . bd:h2 bd:capacity 20 .
"""
PROJECT: dict[str, Any] = {
    "prefixes": CAMPUS,
    "knowledge": {"modules": [file_of(KNOWLEDGE)]},
    "streams": {
        "airflowReport": {
            "event_type": "evt:AirflowReport",
            "time": {"attribute": "timestamp", "property": "evt:hasTime"},
            "identity": ["sensorID", "timestamp"],
            "lateness": "2s",
            "attributes": {
                "sensorID": {"property": "evt:hasSource", "individual": "ee:{}"},
                "flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:double"},
            },
        }
    },
}


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def report(seconds: float, flow: float | None, sensor: str | None = "D105") -> dict[str, object]:
    return {"sensorID": sensor, "timestamp": at(seconds).isoformat(), "flowrate": flow}


def ask(text: str, *reports: Mapping[str, object], registered_at: datetime | None = None) -> list[dict[str, Any]]:
    return evaluate(PROJECT, text, {"airflowReport": list(reports)}, registered_at)


def seconds_of(rows: Sequence[Mapping[str, Any]]) -> list[float]:
    return [(row["_time"] - BEGIN).total_seconds() for row in rows]


def column(rows: Sequence[Mapping[str, Any]], name: str) -> list[object]:
    return [row[name] for row in rows]


def flows(rows: Sequence[Mapping[str, Any]]) -> list[object]:
    return column(rows, "flowrate")


ALL = "SELECT ?e.flowrate"


class TestEvents:
    def test_a_row_has_items_time_events_and_id(self) -> None:
        (row,) = ask("SELECT ?e.sensorID, ?e.flowrate", report(1, 510.0))
        assert row.pop("_id")
        assert row == {
            "sensorID": "D105",
            "flowrate": 510.0,
            "_time": at(1),
            "_events": {"e": ["urn:kaicep:event:airflowReport/D105/1336123801000000"]},
        }

    def test_the_first_tuple_with_an_id_counts(self) -> None:
        assert flows(ask(ALL, report(1, 1.0), report(1, 2.0))) == [1.0]

    def test_a_late_tuple_is_no_part_of_the_stream_and_its_repetition_neither(self) -> None:
        rows = ask(ALL, report(5, 1.0), report(3, 2.0), report(2.9, 3.0), report(9, 4.0), report(2.9, 5.0))
        assert flows(rows) == [2.0, 1.0, 4.0]

    def test_lateness_is_judged_by_the_tuples_before(self) -> None:
        assert flows(ask(ALL, report(2.9, 3.0), report(5, 1.0))) == [3.0, 1.0]

    def test_a_name_declared_equivalent_is_the_same_attribute(self) -> None:
        raw = {"sensorID": "D105", "timestamp": at(0).isoformat(), "airvolume": 7}
        assert flows(ask("SELECT ?e.hvc:airvolume AS flowrate FILTER (?e.airflow = 7)", raw)) == [7.0]

    def test_a_literal_without_a_zone_is_utc(self) -> None:
        raw = report(0, 1.0) | {"timestamp": "2012-05-04T11:30:00"}
        assert column(ask("SELECT ?e.timestamp", raw), "timestamp") == [datetime(2012, 5, 4, 11, 30, tzinfo=UTC)]

    def test_a_tuple_without_a_readable_time_stamp_is_no_event(self) -> None:
        assert ask(ALL, {"sensorID": "D105", "flowrate": 1.0}, report(0, 1.0) | {"timestamp": "noon"}) == []

    def test_events_of_equal_time_are_ordered_by_id(self) -> None:
        rows = ask("SELECT ?e.sensorID", report(0, 1.0, "b"), report(0, 1.0, "B"), report(0, 1.0, None))
        assert column(rows, "sensorID") == [None, "B", "b"]


class TestExpressions:
    @pytest.mark.parametrize(
        ("expression", "expected"),
        [
            ("?e.flowrate / 0", float("inf")),
            ("1 / 0", None),
            ("7 / 2", 3.5),
            ("-7 % 3", -1),
            ("7 % -3", 1),
            ("5 % 0", None),
            ("ROUND(-2.5)", -2.0),
            ("ROUND(0.49999999999999994)", 0.0),
            ("CEIL(-0.5)", 0.0),
            ("STR(510.0)", "5.1E2"),
            ("STR(?e._time)", "2012-05-04T09:30:00.5Z"),
            ("STR(?e.evt:hasSource)", "http://cei.usc.edu/Equipment.owl#D105"),
            ("1 / 0 = 1 OR 1 = 1", True),
            ("1 / 0 = 1 AND 1 = 1", None),
            ("1 / 0 = 1 AND 1 = 2", False),
            ("COALESCE(1 / 0, 2 / 1)", 2.0),
            ("BOUND(?e.flowrate)", True),
            ("IF(?e.flowrate > 1, 'a', 'b')", "a"),
            ("?e.sensorID IN ('D105')", True),
            ("SECONDS(?e._time)", 0.5),
            ("STRLEN('ünder')", 5),
            ('REGEX("Leak", "^l", "i")', True),
            ("-?e.flowrate", -510.0),
        ],
    )
    def test_values(self, expression: str, expected: object) -> None:
        (row,) = ask(f"SELECT {expression} AS x, ?e.sensorID", report(0.5, 510.0))
        assert row["x"] == expected

    def test_a_comparison_with_an_unbound_value_is_not_true(self) -> None:
        assert ask(f"{ALL} FILTER (?e.flowrate > 0)", report(0, None)) == []
        assert ask(f"{ALL} FILTER (NOT (?e.flowrate > 0))", report(0, None)) == []
        assert flows(ask(f"{ALL} FILTER (NOT BOUND(?e.flowrate))", report(0, None))) == [None]


LOCATED = "?e evt:hasSource ?src . ?src bd:hasLocation ?loc ."


class TestSemantics:
    def test_a_path_holds_by_inference(self) -> None:
        path = f"PATH {{ {LOCATED} ?loc a bd:Room ; bd:belongsTo org:EEDepartment }}"
        assert flows(ask(f"{ALL} {path}", report(0, 1.0), report(1, 2.0, "M1"), report(2, 3.0, "gone"))) == [1.0]

    def test_an_event_stands_once_without_semantic_variables(self) -> None:
        assert flows(ask(f"{ALL} PATH {{ {LOCATED} }}", report(0, 1.0, "HALL"))) == [1.0]

    def test_an_event_stands_once_per_distinct_solution_of_what_is_used(self) -> None:
        rows = ask(f"SELECT ?loc PATH {{ {LOCATED} }}", report(0, 1.0, "HALL"))
        assert column(rows, "loc") == [CAMPUS["bd"] + "h1", CAMPUS["bd"] + "h2"]

    def test_a_filter_on_a_semantic_variable_leaves_the_solutions_that_satisfy_it(self) -> None:
        text = f"SELECT ?loc PATH {{ {LOCATED} ?loc bd:capacity ?cap }} FILTER (?cap > 50)"
        assert column(ask(text, report(0, 1.0, "HALL")), "loc") == [CAMPUS["bd"] + "h1"]

    def test_and_binds_tighter_than_or(self) -> None:
        never, always = "PATH { ?e evt:hasSource ee:none }", "PATH { ?e a evt:SensorEvent }"
        assert flows(ask(f"{ALL} {always} OR {never} AND {never}", report(0, 1.0))) == [1.0]
        assert flows(ask(f"{ALL} {never} AND {never} OR {always}", report(0, 1.0))) == [1.0]
        assert flows(ask(f"{ALL} {never} AND {always} OR {never}", report(0, 1.0))) == []

    def test_what_the_holding_branch_does_not_bind_is_unbound(self) -> None:
        other = "PATH { ?e evt:hasSource ee:D105 }"
        rows = ask(f"SELECT ?loc PATH {{ {LOCATED} ?loc bd:capacity 20 }} OR {other}", report(0, 1.0))
        assert column(rows, "loc") == [None]

    def test_a_path_may_compare_the_event_with_knowledge(self) -> None:
        path = "PATH { ?e hvc:airflow ?rate . hvc:GreenOfficeAirflow hvc:hasValue ?gaf . FILTER (?rate > ?gaf) }"
        assert flows(ask(f"{ALL} {path}", report(0, 500.0), report(1, 500.5))) == [500.5]


PAIR = "FROM (?a, airflowReport), (?b, airflowReport)"


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


class TestDocuments:
    def test_the_rows_of_a_query_are_the_events_of_its_stream(self) -> None:
        text = """
        CREATE QUERY busy AS SELECT ?e.sensorID AS sensor, ?e.flowrate AS flow FILTER (?e.flowrate > 1)
        SELECT ?b.sensor, SUM(?b.flow) AS s FROM (?b, busy) WINDOW (?b, sliding, 9s)
        """
        rows = ask(text, report(0, 1.0), report(1, 2.0), report(2, 4.0))
        assert column(rows, "s") == [2.0, 6.0]
        assert seconds_of(rows) == [1.0, 2.0]


IN_EE_OFFICE = """PATH {?e evt:hasSource ?src .
?src rdf:type ee:AirflowSensor .
?src bd:hasLocation ?loc .
?loc rdf:type bd:Office .
?loc bd:belongsTo org:EEDepartment"""
INCREASE = """FILTER (?e1.flowrate > 500)
JOIN (?e2.sensorID = ?e1.sensorID)
JOIN (?e2.flowrate-?e1.flowrate > 50)
SEQ (?e1, ?e2)
WINDOW (?e1, ?e2, 5min)"""
MEETING = """PATH {?e1 evt:hasSource ?src1 .
?src1 rdf:type ee:AirflowSensor .
?src1 bd:hasLocation ?loc1 .
?loc1 rdf:type bd:MeetingRoom .
?e2 evt:hasSource ?src2 .
?src2 rdf:type ee:AirflowSensor .
?src2 bd:hasLocation ?loc2 .
?loc2 rdf:type bd:MeetingRoom }"""
PAPER = (
    report(0, 510.0),
    report(60, 500.0, "M1"),
    report(120, 520.0, "M1"),
    report(180, 561.0),
    report(240, 571.0, "M1"),
    report(300, 400.0),
    report(420, 571.0, "M1"),
    report(421, 600.0),
)


class TestThePapersQueries:
    def test_query_1(self) -> None:
        rows = ask("SELECT ?e.sensorID, ?e.flowrate\nFILTER (?e.flowrate > 500)", *PAPER)
        assert flows(rows) == [510.0, 520.0, 561.0, 571.0, 571.0, 600.0]

    def test_query_2(self) -> None:
        rows = ask("SELECT AVG(?e.flowrate) > 500 AS avgrate\nWINDOW (?e, sliding, 5min)", *PAPER)
        assert seconds_of(rows) == [0.0, 60.0, 120.0, 180.0, 240.0, 300.0, 420.0, 421.0]
        assert rows[5]["avgrate"] == (500 + 520 + 561 + 571 + 400) / 5
        assert rows[7]["avgrate"] == (561 + 571 + 400 + 571 + 600) / 5

    def test_query_3(self) -> None:
        rows = ask(f"SELECT ?e1.sensorID\n{INCREASE}", *PAPER)
        assert column(rows, "sensorID") == ["D105", "M1", "M1"]
        assert seconds_of(rows) == [180.0, 240.0, 420.0]

    def test_query_4(self) -> None:
        rows = ask(f"SELECT ?e.sensorID\nFILTER (?e.hvc:airflow > 500)\n{IN_EE_OFFICE}}}", *PAPER)
        assert seconds_of(rows) == [0.0, 180.0, 421.0]

    def test_query_5(self) -> None:
        constant = "?e hvc:airflow ?rate .\nhvc:GreenOfficeAirflow hvc:hasValue ?gaf .\nFILTER (?rate > ?gaf)}"
        rows = ask(f"SELECT ?e.sensorID\n{IN_EE_OFFICE} .\n{constant}", *PAPER)
        assert seconds_of(rows) == [0.0, 180.0, 421.0]

    def test_query_6(self) -> None:
        text = f"SELECT AVG(?e.flowrate) > 500 AS avgrate\nWINDOW (?e, sliding, 5min)\n{IN_EE_OFFICE}}}"
        rows = ask(text, *PAPER)
        assert column(rows, "avgrate") == [510.0, 535.5, (561 + 400 + 600) / 3]

    def test_query_7(self) -> None:
        rows = ask(f"SELECT ?e1.sensorID {INCREASE}\n{MEETING}", *PAPER)
        assert column(rows, "sensorID") == ["M1", "M1"]
        assert seconds_of(rows) == [240.0, 420.0]
