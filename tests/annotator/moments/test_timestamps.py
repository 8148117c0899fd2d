"""Time stamps of any form → UTC microseconds; what is none is never guessed at."""

from __future__ import annotations

from datetime import UTC, date, datetime

import polars as pl
import pyarrow as pa
import pytest
from kaicep.annotator.moments.time_formats import read_clock
from kaicep.annotator.moments.timestamps import distinct_texts
from support.annotators import NOON, annotator_of


@pytest.mark.parametrize(
    ("raw", "moment"),
    [
        ("2012-05-07T00:00:00.123Z", datetime(2012, 5, 7, 0, 0, 0, 123000, UTC)),
        ("2021-09-07 00:00 +08:00", datetime(2021, 9, 6, 16, tzinfo=UTC)),
        ("2021-09-07T00:00:00-0330", datetime(2021, 9, 7, 3, 30, tzinfo=UTC)),
        ("2021-09-07T00:00+08", datetime(2021, 9, 6, 16, tzinfo=UTC)),
        ("2012-05-07T00:00:00", datetime(2012, 5, 7, tzinfo=UTC)),
        ("2012-05-07 09:30", datetime(2012, 5, 7, 9, 30, tzinfo=UTC)),
        ("2012-05-07", datetime(2012, 5, 7, tzinfo=UTC)),
        (" 2012-05-07t00:00:00z ", datetime(2012, 5, 7, tzinfo=UTC)),
        ("2012-05-07T00:00:00.1234567Z", datetime(2012, 5, 7, 0, 0, 0, 123456, UTC)),
        ("2012-05-07T00:00:00,5", datetime(2012, 5, 7, 0, 0, 0, 500000, UTC)),
        ("0001-01-01T00:00:00", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999", datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)),
        ("2012-02-29T23:59:59Z", datetime(2012, 2, 29, 23, 59, 59, tzinfo=UTC)),
        ("0001-01-01T00:00:00.000001Z", datetime(1, 1, 1, microsecond=1, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("company", [[], ["2012-05-07 01:00 +01:00"]])
def test_time_stamps_of_text(raw: str, moment: datetime, company: list[str]) -> None:
    """ISO 8601, alone in its column or with others; without a zone it is UTC."""
    annotated = annotator_of({}).annotate(pa.table({"at": [raw, *company]}))
    assert annotated.events.column("_time").to_pylist()[0] == moment
    assert annotated.events.column("at") == annotated.events.column("_time")
    assert annotated.rejected.num_rows == 0


@pytest.mark.parametrize(
    "raw",
    ["2012-02-30T00:00:00", "2012-05-07T24:00:00", "2012-05-07T00:00:60Z", "yesterday", "", "1336348800",
     "2012-05-07T00:00:00+15:00",
     "2012-05-07T00:00:00+٠٨", "٢٠١٢-05-07T00:00:00Z",
     "2012-02-30T00:00:00Z", "2012-05-07T24:00:00Z", "0000-12-31T23:59:59Z",
     "2012-05-07T00:00:00+01:60", "07/05/2012", "2012-05-07T00:00:00 Europe/Berlin", "0001-01-01T00:00:00+01:00"],
)  # fmt: skip
def test_wrong_time_stamps(raw: str) -> None:
    annotated = annotator_of({}).annotate(pa.table({"at": [raw]}))
    assert annotated.rejected.to_pylist() == [{"row": 0, "reason": f"at: {raw!r} is no xsd:dateTime"}]
    assert annotated.events.num_rows == 0


@pytest.mark.parametrize(
    "raw",
    [
        pa.array([NOON], pa.timestamp("s")),
        pa.array([NOON], pa.timestamp("ns", "UTC")),
        pa.array([NOON], pa.timestamp("ms", "+08:00")),
        pa.array([NOON], pa.timestamp("us", "Asia/Singapore")),
        pa.array([NOON.replace(tzinfo=None)], pa.timestamp("us")).dictionary_encode(),
    ],
)
def test_arrow_time_stamps(raw: pa.Array) -> None:
    """Any unit and zone; naive ones are UTC."""
    assert annotator_of({}).annotate(pa.table({"at": raw})).events.column("_time").to_pylist() == [NOON]


def test_dates_are_midnights() -> None:
    events = annotator_of({}).annotate(pa.table({"at": pa.array([date(2012, 5, 7)])})).events
    assert events.column("_time").to_pylist() == [datetime(2012, 5, 7, tzinfo=UTC)]


def test_epochs_are_not_guessed_at() -> None:
    annotated = annotator_of({}).annotate(pa.table({"at": [1336348800]}))
    hint = 'state time.format, such as "epoch_s", or write ISO 8601'
    reason = f"at: 1336348800 is no xsd:dateTime (numbers are not guessed at: {hint})"
    assert annotated.rejected.to_pylist() == [{"row": 0, "reason": reason}]


@pytest.mark.parametrize("repeats", [1, 2, 200])
@pytest.mark.parametrize("time_format", ["iso", "day_first"])
def test_texts_that_come_again_are_read_once_and_mean_the_same(repeats: int, time_format: str) -> None:
    """Whether a column has few different texts or many, and with what is none among them."""
    days = ["2012-05-07 09:30 +01:00", "2012-05-07 09:30", "no", "", None, "7.5.2012 09:30", "07.05.12 9:30:01 pm +01"]
    texts = [f"{1 + i % 28:02}.{1 + i % 12:02}.{2000 + i % 90} 01:00" for i in range(1, 40)]
    column = pl.Series([*days, *texts] * repeats)
    read = read_clock(column, time_format)
    one_by_one = [read_clock(pl.Series([text], dtype=pl.String), time_format) for text in (*days, *texts)]
    assert read.clock.to_list() == [one.clock[0] for one in one_by_one] * repeats
    assert read.zoned.to_list() == [one.zoned[0] for one in one_by_one] * repeats


def test_a_column_of_which_each_text_is_another_is_read_as_it_is() -> None:
    codes, texts = distinct_texts(column := pl.Series([str(i) for i in range(10_000)]))
    assert codes is None
    assert texts is column
    codes, texts = distinct_texts(pl.Series([str(i % 100) for i in range(10_000)]))
    assert codes is not None
    assert len(texts) == 100
    assert texts.gather(codes).to_list()[:101] == [*(str(i) for i in range(100)), "0"]
