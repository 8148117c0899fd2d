"""What the columns of tables are for."""

from __future__ import annotations

import pyarrow as pa
from kaicep.annotator.recognition import recognise_columns


def test_a_table_of_readings() -> None:
    roles = recognise_columns(
        pa.table(
            {"point": ["a", "b"], "ts": ["2021-01-01", "2021-01-02"], "value": ["1.5", "2"], "ok": ["true", "false"]}
        )
    )
    assert roles is not None
    assert (roles.time, roles.written.format) == ("ts", "iso")
    assert dict(roles.types) == {"point": "string", "value": "double", "ok": "boolean"}
    assert dict(roles.distinct) == {"point": 2, "value": 2, "ok": 2}
    assert (roles.measured, roles.texts) == (("value", "ok"), ("point",))


def test_the_name_tells_which_of_two_times_is_meant() -> None:
    """Before what it looks like, and where it stands."""
    table = pa.table({"installed": ["2019-01-01"], "Time": ["01.02.2021 10:00"], "n": ["1"]})
    roles = recognise_columns(table)
    assert roles is not None
    assert (roles.time, roles.other_times) == ("Time", ("installed",))
    assert roles.types["installed"] == "dateTime"


def test_numbers_count_as_time_only_without_text_that_does() -> None:
    table = pa.table({"serial": [1_600_000_000], "seen": ["2021-01-01"]})
    roles = recognise_columns(table)
    assert roles is not None
    assert (roles.time, roles.measured) == ("seen", ("serial",))


def test_a_known_column_is_taken() -> None:
    table = pa.table({"installed": ["2019-01-01"], "time": ["2021-01-01"]})
    roles = recognise_columns(table, "installed")
    assert roles is not None
    assert roles.time == "installed"
    assert recognise_columns(pa.table({"time": ["x"]}), "time") is None


def test_a_table_without_time_stamps() -> None:
    assert recognise_columns(pa.table({"a": ["x"], "b": [1]})) is None


def test_the_time_of_day_may_stand_in_another_column() -> None:
    """Which is noticed only where the time stamps are days."""
    hours = ["10:00 AM", "10:05 AM"]
    apart = recognise_columns(pa.table({"Date": ["03/04/2021", "03/05/2021"], "Time": hours, "v": ["1", "2"]}))
    together = recognise_columns(pa.table({"Date": ["2021-03-04 10:00", "2021-03-05 10:00"], "Time": hours}))
    days = recognise_columns(pa.table({"Date": ["2021-03-04", "2021-03-05"], "note": ["10:00", "late"]}))
    assert apart is not None
    assert together is not None
    assert days is not None
    assert (apart.time, apart.time_of_day) == ("Date", "Time")
    assert (together.time_of_day, days.time_of_day) == (None, None)


def test_columns_whose_values_have_parts_have_no_role() -> None:
    roles = recognise_columns(pa.table({"at": ["2021-01-01"], "where": [{"room": "a"}], "tags": [["x"]], "n": [1]}))
    assert roles is not None
    assert (list(roles.types), list(roles.distinct)) == (["n"], ["n"])
