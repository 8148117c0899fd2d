"""Raw tables of any types → event tables."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.annotator import Annotated, Annotator
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase

_EX = "http://example.org/"
_KNOWLEDGE = KnowledgeBase.of_turtle(
    """@prefix ex: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ex:airflow owl:equivalentProperty ex:flowrate , ex:airvolume . ex:s1 ex:code "one" . ex:s2 ex:code "7" ."""
)
_NOON = datetime(2012, 5, 7, 12, tzinfo=UTC)


def _annotator(attributes: dict[str, Any], identity: tuple[str, ...] = (), name: str = "report") -> Annotator:
    stream = {"event_type": "ex:Report", "time": {"attribute": "at"}, "attributes": attributes, "identity": identity}
    return Annotator(name, Settings.parse({"prefixes": {"ex": _EX}, "streams": {name: stream}}), _KNOWLEDGE)


def _one(datatype: str, values: pa.Array) -> Annotated:
    at = pa.array([_NOON] * len(values), pa.timestamp("us", "UTC"))
    return _annotator({"x": {"datatype": datatype}}).annotate(pa.table({"at": at, "x": values}))


def _dictionary(values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


@pytest.mark.parametrize(
    ("datatype", "raw", "typed", "reasons"),
    [
        ("xsd:double", pa.array(["1", " 2.5e1 ", "-INF", "+.5", None]), [1.0, 25.0, float("-inf"), 0.5, None], []),
        ("xsd:double", pa.array(["abc", "inf", "1_0", "", "0x1"]), [], ["'abc'", "'inf'", "'1_0'", "''", "'0x1'"]),
        ("xsd:double", _dictionary(["1", None, "1"]), [1.0, None, 1.0], []),
        ("xsd:double", pa.array([1, 2], pa.int8()), [1.0, 2.0], []),
        ("xsd:double", pa.array([Decimal("1.50")]), [1.5], []),
        ("xsd:double", pa.array([1.5], pa.float32()), [1.5], []),
        ("xsd:double", pa.nulls(2), [None, None], []),
        ("xsd:double", pa.array([True]), [], ["true"]),
        ("xsd:double", pa.array([[1.0]]), [], ["[1.0]"]),
        ("xsd:decimal", pa.array(["1.5", "NaN"]), [1.5], ["'NaN'"]),
        ("xsd:integer", pa.array(["1", "+05", "-3", "9223372036854775807"]), [1, 5, -3, 2**63 - 1], []),
        ("xsd:integer", pa.array(["1.0", "9223372036854775808", "x"]), [], ["'1.0'", "'9223372036854775808'", "'x'"]),
        ("xsd:integer", pa.array([1.0, 1.5, 1e30, None]), [1, None], ["1.5", "1e+30"]),
        ("xsd:integer", pa.array([2**64 - 1], pa.uint64()), [], ["18446744073709551615"]),
        ("xsd:integer", pa.array([Decimal("2.0"), Decimal("2.5")]), [2], ["2.5"]),
        ("xsd:byte", pa.array([127, 128]), [127], ["128"]),
        ("xsd:nonNegativeInteger", pa.array(["0", "-1"]), [0], ["'-1'"]),
        ("xsd:boolean", pa.array(["true", "0", " 1", "false", None]), [True, False, True, False, None], []),
        ("xsd:boolean", pa.array(["TRUE", "yes"]), [], ["'TRUE'", "'yes'"]),
        ("xsd:boolean", pa.array([0, 1, 2]), [False, True], ["2"]),
        ("xsd:string", pa.array([1.0, 1e16, 1e-5]), ["1", "1e+16", "1e-05"], []),
        ("xsd:string", pa.array([1, None]), ["1", None], []),
        ("xsd:string", pa.array([True, False]), ["true", "false"], []),
        ("xsd:string", pa.array([_NOON], pa.timestamp("ms", "UTC")), ["2012-05-07T12:00:00Z"], []),
        ("xsd:string", pa.array([{"a": 1}]), [], ["{'a': 1}"]),
        ("xsd:string", pa.array(["a"], pa.string_view()), ["a"], []),
    ],
)  # fmt: skip
def test_values_are_typed(datatype: str, raw: pa.Array, typed: list[object], reasons: list[str]) -> None:
    """Whatever the raw type: what fits is typed, a row that does not fit is rejected with its value and datatype."""
    annotated = _one(datatype, raw)
    assert annotated.events.column("x").to_pylist() == typed
    assert annotated.rejected.column("reason").to_pylist() == [f"x: {text} is no {datatype}" for text in reasons]


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
    annotated = _annotator({}).annotate(pa.table({"at": [raw, *company]}))
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
    annotated = _annotator({}).annotate(pa.table({"at": [raw]}))
    assert annotated.rejected.to_pylist() == [{"row": 0, "reason": f"at: {raw!r} is no xsd:dateTime"}]
    assert annotated.events.num_rows == 0


@pytest.mark.parametrize(
    "raw",
    [
        pa.array([_NOON], pa.timestamp("s")),
        pa.array([_NOON], pa.timestamp("ns", "UTC")),
        pa.array([_NOON], pa.timestamp("ms", "+08:00")),
        pa.array([_NOON], pa.timestamp("us", "Asia/Singapore")),
        pa.array([_NOON.replace(tzinfo=None)], pa.timestamp("us")).dictionary_encode(),
    ],
)
def test_arrow_time_stamps(raw: pa.Array) -> None:
    """Any unit and zone; naive ones are UTC."""
    assert _annotator({}).annotate(pa.table({"at": raw})).events.column("_time").to_pylist() == [_NOON]


def test_dates_are_midnights() -> None:
    events = _annotator({}).annotate(pa.table({"at": pa.array([date(2012, 5, 7)])})).events
    assert events.column("_time").to_pylist() == [datetime(2012, 5, 7, tzinfo=UTC)]


def test_epochs_are_not_guessed_at() -> None:
    annotated = _annotator({}).annotate(pa.table({"at": [1336348800]}))
    reason = "at: 1336348800 is no xsd:dateTime (numbers are not guessed at; write ISO 8601)"
    assert annotated.rejected.to_pylist() == [{"row": 0, "reason": reason}]


def test_all_reasons_of_a_row_are_given() -> None:
    """Rows that cannot be typed or lack the time stamp are rejected; the others keep their order and row."""
    raw = pa.table({"at": ["2012-05-07", None, "2012-05-08", "no"], "x": ["1", "a", "b", "c"]})
    annotated = _annotator({"x": {"datatype": "xsd:integer"}}).annotate(raw)
    assert annotated.events.select(["x", "_row"]).to_pylist() == [{"x": 1, "_row": 0}]
    assert annotated.rejected.to_pylist() == [
        {"row": 1, "reason": "x: 'a' is no xsd:integer; at: is missing"},
        {"row": 2, "reason": "x: 'b' is no xsd:integer"},
        {"row": 3, "reason": "at: 'no' is no xsd:dateTime; x: 'c' is no xsd:integer"},
    ]


def test_a_table_without_time_stamps_is_rejected() -> None:
    annotated = _annotator({}).annotate(pa.table({"x": [1, 2]}))
    assert annotated.rejected.to_pylist() == [{"row": i, "reason": "at: is missing"} for i in range(2)]


def test_long_values_are_cut_in_reasons() -> None:
    annotated = _one("xsd:integer", pa.array(["y" * 100]))
    assert annotated.rejected.column("reason").to_pylist() == [f"x: '{'y' * 58}… is no xsd:integer"]


def test_the_columns_of_an_event_table() -> None:
    """The types that every consumer may rely on, for an empty table, too."""
    attributes = {
        "s": {"property": "ex:source", "individual": "ex:{}"},
        "i": {"datatype": "xsd:int"},
        "d": {"datatype": "xsd:float"},
        "b": {"datatype": "xsd:boolean"},
    }
    for raw in (pa.table({"at": [_NOON], "s": ["a"]}), pa.table({"at": pa.array([], pa.string())})):
        events = _annotator(attributes).annotate(raw).events
        text, moment = pa.large_string(), pa.timestamp("us", "UTC")
        assert dict(zip(events.schema.names, events.schema.types, strict=True)) == {
            "_time": moment, "_id": text, "at": moment, "s": pa.dictionary(pa.int32(), text), "i": pa.int64(),
            "d": pa.float64(),
            "b": pa.bool_(), f"{_EX}source": pa.dictionary(pa.int32(), pa.string()), "_extra": text, "_row": pa.int64(),
        }  # fmt: skip


def test_equivalent_raw_names_feed_one_attribute() -> None:
    """Per row the first that has a value, the declared name first."""
    raw = pa.table(
        {
            "at": [_NOON] * 4,
            "airvolume": [1, 2, None, None],
            "rate": ["9", None, None, None],
            "flowrate": [None, None, 3.5, None],
        }
    )
    annotated = _annotator({"rate": {"same_as": "ex:airflow", "datatype": "xsd:double"}}).annotate(raw)
    assert annotated.events.column("rate").to_pylist() == [9.0, 2.0, 3.5, None]
    assert annotated.events.column("_extra").to_pylist() == [None] * 4


def test_individuals_by_template() -> None:
    """The value is percent-encoded; equal values stand for one individual, null for none."""
    attributes = {"s": {"property": "ex:source", "individual": "ex:{}"}}
    values = ["a", "b/c", 'x> . <y "ü', None, "a", ""]
    annotated = _annotator(attributes).annotate(pa.table({"at": [_NOON] * 6, "s": values}))
    assert annotated.events.column("s").to_pylist() == values
    iris = [None if v is None else _EX + quote(v, safe="") for v in values]
    assert annotated.events.column(f"{_EX}source").to_pylist() == iris
    assert annotated.unlinked == 0


def test_individuals_by_key() -> None:
    """A value that is nobody's key keeps its event, without an individual, and is counted."""
    attributes = {"s": {"property": "ex:source", "key": "ex:code"}}
    annotated = _annotator(attributes).annotate(pa.table({"at": [_NOON] * 4, "s": ["one", "two", None, "two"]}))
    assert annotated.events.column(f"{_EX}source").to_pylist() == [f"{_EX}s1", None, None, None]
    assert annotated.unlinked == 2


def test_numbers_as_keys() -> None:
    attributes = {"s": {"property": "ex:source", "key": "ex:code", "datatype": "xsd:integer"}}
    annotated = _annotator(attributes).annotate(pa.table({"at": [_NOON] * 3, "s": [7, 8, None]}))
    assert annotated.events.column("s").to_pylist() == [7, 8, None]
    assert annotated.events.column(f"{_EX}source").to_pylist() == [f"{_EX}s2", None, None]
    assert annotated.unlinked == 1


def test_undeclared_attributes_are_kept_as_json() -> None:
    """One object with sorted keys; nulls are absent, at every depth, so that JSON does not depend on the batch."""
    raw = pa.table(
        {
            "at": [_NOON] * 3,
            "z": ['q"\\\n\u2028ü', None, None],
            "n": pa.array([{"b": [1, None], "a": None}, {"b": None, "a": "x"}, None]),
            "f": [1.0, float("nan"), None],
            "b": [True, None, None],
            "t": pa.array([_NOON, None, None], pa.timestamp("ms")),
            "_id": [5, None, None],
            "none": pa.nulls(3),
            "bytes": pa.array([b"\xff", None, None]),
        }
    )
    texts = _annotator({}).annotate(raw).events.column("_extra").to_pylist()
    assert texts[1:] == ['{"f":NaN,"n":{"a":"x"}}', None]
    expected = {
        "z": 'q"\\\n\u2028ü',
        "n": {"b": [1, None]},
        "f": 1,
        "b": True,
        "t": "2012-05-07T12:00:00Z",
        "_id": 5,
        "bytes": "/w==",
    }
    assert texts[0] == json.dumps(expected, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


_VALUES = {
    "s": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "i": st.none() | st.integers(-(2**63), 2**63 - 1),
    "d": st.none() | st.floats() | st.floats(1e-6, 1e-3) | st.floats(1e14, 1e18),
    "b": st.none() | st.booleans(),
    "at": st.datetimes(),
    "x": st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
}
_TYPES = {
    "s": pa.string(),
    "i": pa.int64(),
    "d": pa.float64(),
    "b": pa.bool_(),
    "at": pa.timestamp("us"),
    "x": pa.string(),
}
_DATATYPES = {"s": "xsd:string", "i": "xsd:integer", "d": "xsd:double", "b": "xsd:boolean"}


def _segment(value: object) -> str:
    match value:
        case None:
            return "!"
        case bool():
            return "true" if value else "false"
        case datetime():
            micros = (value - datetime(1970, 1, 1)) // (datetime.resolution)  # noqa: DTZ001 - naive means UTC here
            return quote(str(micros), safe="")
        case float():
            return quote(repr(value), safe="")
        case _:
            return quote(str(value), safe="")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.fixed_dictionaries(_VALUES), min_size=1, max_size=6))
def test_ids(rows: list[dict[str, Any]]) -> None:
    """Ids are made of the identity attributes' canonical texts, else of the digest of the whole tuple."""
    raw = pa.Table.from_pylist(rows, schema=pa.schema(list(_TYPES.items())))
    attributes = {name: {"datatype": datatype} for name, datatype in _DATATYPES.items()}
    named = _annotator(attributes, ("d", "s", "at", "b", "i"), name="my stream").annotate(raw).events
    assert named.column("_id").to_pylist() == [
        "urn:kaicep:event:my%20stream/" + "/".join(_segment(row[k]) for k in ("d", "s", "at", "b", "i")) for row in rows
    ]
    digested = _annotator(attributes).annotate(raw).events
    for row, event in zip(rows, digested.to_pylist(), strict=True):
        extra = None if row["x"] is None else json.dumps({"x": row["x"]}, ensure_ascii=False, separators=(",", ":"))
        assert event["_extra"] == extra
        text = "/".join([*(_segment(row[k]) for k in ("at", "s", "i", "d", "b")), _segment(extra)])
        assert event["_id"] == "urn:kaicep:event:report/" + hashlib.md5(text.encode()).hexdigest()  # noqa: S324 - as specified


def test_batches_may_be_cut_anywhere() -> None:
    """Chunks, slices and dictionaries of a raw table do not show in its events."""
    attributes = {"s": {"property": "ex:source", "individual": "ex:{}"}, "d": {"datatype": "xsd:double"}}
    annotator = _annotator(attributes, ("s", "at"))
    raw = pa.table({"at": [_NOON] * 6, "s": ["a", "b", None, "a", "c", "b"], "d": ["1", "2", "3", "x", "5", "6"]})
    whole = annotator.annotate(raw).events.drop_columns("_row").to_pylist()
    encoded = raw.set_column(
        1, "s", pa.chunked_array([c.dictionary_encode() for c in (raw["s"].chunk(0)[:2], raw["s"].chunk(0)[2:])])
    )
    parts = [
        annotator.annotate(t).events.drop_columns("_row") for t in (raw.slice(0, 2), raw.slice(2, 3), raw.slice(5))
    ]
    assert [row for part in parts for row in part.to_pylist()] == whole
    assert annotator.annotate(encoded).events.drop_columns("_row").to_pylist() == whole
    assert pa.concat_tables(parts).to_pylist() == whole
