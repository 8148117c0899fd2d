"""The oracle itself: worked examples of LANGUAGE, computed by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from support.prefixes import CAMPUS
from support.reports import ALL, LOCATED, ask, at, column, flows, report, seconds_of


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
