"""Rows for people and programs."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from kaicep.pipeline.sinks import row_printing
from kaicep.pipeline.sinks.row_printing import Form, RowPrinter, iso, print_rows, table
from rich.console import Console

MOMENT = datetime(2026, 1, 1, 12, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {
        "room": "urn:ex:r[1]",
        "rate": 1.5,
        "ok": True,
        "seen": [MOMENT],
        "_time": MOMENT,
        "_events": {"e": ["a"]},
        "_id": "1",
    },
    {"room": None, "rate": float("nan"), "ok": None, "seen": None, "_time": MOMENT, "_events": {"e": []}, "_id": "2"},
]


def printed(form: Form) -> str:
    text = io.StringIO()
    print_rows(ROWS, ROWS[0], form, text, {"ex": "urn:ex:"})
    return text.getvalue()


def test_json_has_everything_whole_and_no_numbers_that_json_lacks() -> None:
    first, second = (json.loads(line) for line in printed("json").splitlines())
    assert first == {
        "room": "urn:ex:r[1]",
        "rate": 1.5,
        "ok": True,
        "seen": ["2026-01-01T12:00:00Z"],
        "_time": "2026-01-01T12:00:00Z",
        "_events": {"e": ["a"]},
        "_id": "1",
    }
    assert second["rate"] is None


def test_csv_has_a_header_and_json_where_values_have_parts() -> None:
    header, first, second = printed("csv").splitlines()
    assert header == "room,rate,ok,seen,_time,_events,_id"
    assert first == 'urn:ex:r[1],1.5,true,"[""2026-01-01T12:00:00Z""]",2026-01-01T12:00:00Z,"{""e"": [""a""]}",1'
    assert second == ',nan,,,2026-01-01T12:00:00Z,"{""e"": []}",2'


def test_a_table_leaves_out_what_is_for_programs() -> None:
    shown = printed("table")
    assert "_id" not in shown
    assert "_events" not in shown
    assert "│ urn:ex:r[1] │  1.5 │ true │ 2026-01-01T12:00:00Z │ 2026-01-01T12:00:00Z │" in shown


def test_a_table_writes_iris_as_prefixed_names() -> None:
    text = io.StringIO()
    found = table([{"room": "urn:ex:r1", "n": 2}], ["room", "n"], prefixes={"ex": "urn:ex:"})
    Console(file=text, width=40).print(found)
    assert "│ ex:r1 │ 2 │" in text.getvalue()


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (MOMENT, "2026-01-01T12:00:00Z"),
        (MOMENT.replace(microsecond=500_000), "2026-01-01T12:00:00.500Z"),
        (MOMENT.replace(microsecond=1), "2026-01-01T12:00:00.000001Z"),
        (MOMENT.astimezone(timezone(timedelta(hours=8))), "2026-01-01T12:00:00Z"),
    ],
)
def test_times_are_utc_with_the_fraction_that_they_have(moment: datetime, text: str) -> None:
    assert iso(moment) == text


def test_a_table_of_many_rows_is_printed_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is held until its columns are known, and no more than that."""
    monkeypatch.setattr(row_printing, "_PAGE", 2)
    text = io.StringIO()
    with RowPrinter(["n"], "table", text) as printer:
        for number in range(4):
            printer.write([{"n": 10**number}])
            assert text.getvalue().count("┃ ") == (number + 1) // 2
        assert "10" in text.getvalue()
    assert text.getvalue().count("┃ ") == 2
    empty = io.StringIO()
    with RowPrinter(["n"], "table", empty):
        pass
    assert empty.getvalue().count("┃ n ┃") == 1
