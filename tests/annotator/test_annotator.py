"""Raw tables of any types → event tables."""

from __future__ import annotations

import pyarrow as pa
from kaicep.annotator import AnnotatedBatch, Annotator
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase
from support.annotators import EX, NOON, annotator_of


def test_all_reasons_of_a_row_are_given() -> None:
    """Rows that cannot be typed or lack the time stamp are rejected; the others keep their order and row."""
    raw = pa.table({"at": ["2012-05-07", None, "2012-05-08", "no"], "x": ["1", "a", "b", "c"]})
    annotated = annotator_of({"x": {"datatype": "xsd:integer"}}).annotate(raw)
    assert annotated.events.select(["x", "_row"]).to_pylist() == [{"x": 1, "_row": 0}]
    assert annotated.rejected.to_pylist() == [
        {"row": 1, "reason": "x: 'a' is no xsd:integer; at: is missing"},
        {"row": 2, "reason": "x: 'b' is no xsd:integer"},
        {"row": 3, "reason": "at: 'no' is no xsd:dateTime; x: 'c' is no xsd:integer"},
    ]


def test_only_some_columns_are_told_of_a_wide_table() -> None:
    wide = annotator_of({}).annotate(pa.table({f"c{i}": [1] for i in range(12)}))
    (reason,) = wide.rejected["reason"].to_pylist()
    assert reason == f"at: is missing; the columns are {', '.join(repr(f'c{i}') for i in range(10))} and 2 more"


def test_a_table_without_time_stamps_is_rejected() -> None:
    annotated = annotator_of({}).annotate(pa.table({"x": [1, 2]}))
    reason = "at: is missing; the columns are 'x'"
    assert annotated.rejected.to_pylist() == [{"row": i, "reason": reason} for i in range(2)]


def test_the_columns_of_an_event_table() -> None:
    """The types that every consumer may rely on, for an empty table, too."""
    attributes = {
        "s": {"property": "ex:source", "individual": "ex:{}"},
        "i": {"datatype": "xsd:int"},
        "d": {"datatype": "xsd:float"},
        "b": {"datatype": "xsd:boolean"},
    }
    for raw in (pa.table({"at": [NOON], "s": ["a"]}), pa.table({"at": pa.array([], pa.string())})):
        events = annotator_of(attributes).annotate(raw).events
        text, moment = pa.large_string(), pa.timestamp("us", "UTC")
        assert dict(zip(events.schema.names, events.schema.types, strict=True)) == {
            "_time": moment, "_id": text, "at": moment, "s": pa.dictionary(pa.int32(), text), "i": pa.int64(),
            "d": pa.float64(),
            "b": pa.bool_(), f"{EX}source": pa.dictionary(pa.int32(), pa.string()), "_extra": text, "_row": pa.int64(),
        }  # fmt: skip


def test_equivalent_raw_names_feed_one_attribute() -> None:
    """Per row the first that has a value, the declared name first."""
    raw = pa.table(
        {
            "at": [NOON] * 4,
            "airvolume": [1, 2, None, None],
            "rate": ["9", None, None, None],
            "flowrate": [None, None, 3.5, None],
        }
    )
    annotated = annotator_of({"rate": {"same_as": "ex:airflow", "datatype": "xsd:double"}}).annotate(raw)
    assert annotated.events.column("rate").to_pylist() == [9.0, 2.0, 3.5, None]
    assert annotated.events.column("_extra").to_pylist() == [None] * 4


def test_batches_may_be_cut_anywhere() -> None:
    """Chunks, slices and dictionaries of a raw table do not show in its events."""
    attributes = {"s": {"property": "ex:source", "individual": "ex:{}"}, "d": {"datatype": "xsd:double"}}
    annotator = annotator_of(attributes, ("s", "at"))
    raw = pa.table({"at": [NOON] * 6, "s": ["a", "b", None, "a", "c", "b"], "d": ["1", "2", "3", "x", "5", "6"]})
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


def test_a_source_may_say_that_its_batches_are_in_no_order() -> None:
    """Then events come by their time stamps, those of one time stamp in order of arrival."""
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "at"},
        "attributes": {"x": {"datatype": "xsd:integer"}},
        "source": {"format": "csv", "path": "in/", "order": "time"},
    }
    raw = pa.table({"at": ["2026-01-03", "2026-01-01", "2026-01-03", "2026-01-02", "2026-01-01"], "x": [1, 2, 3, 4, 5]})
    events = Annotator("s", Settings.parse({"streams": {"s": stream}}), KnowledgeBase.empty()).annotate(raw).events
    assert events["x"].to_pylist() == [2, 5, 4, 1, 3]
    assert events["_row"].to_pylist() == [1, 4, 3, 0, 2]


def test_parts_are_put_together_by_time() -> None:
    """Whatever individuals each of them speaks of."""
    annotator = annotator_of({"s": {"property": "ex:source", "individual": "ex:{}"}, "x": {"datatype": "xsd:double"}})
    first = annotator.annotate(pa.table({"at": ["2026-01-02", "no"], "s": ["b", "b"], "x": [1.0, 2.0]}))
    second = annotator.annotate(pa.table({"at": ["2026-01-01", "2026-01-03"], "s": ["a", "b"], "x": [3.0, None]}))
    together = AnnotatedBatch.by_time([first, second])
    assert together.events["s"].to_pylist() == ["a", "b", "b"]
    assert together.events[f"{EX}source"].to_pylist() == [f"{EX}a", f"{EX}b", f"{EX}b"]
    assert together.rejected["row"].to_pylist() == [1]


def test_values_nested_too_deep_are_refused_and_the_rows_without_them_are_not() -> None:
    """Whatever depth the column's type has: at some hundred levels Polars would end the process."""
    for depth in (65, 800):
        deep = pa.array([1])
        for _ in range(depth):
            deep = pa.StructArray.from_arrays([deep], ["in"])
        deep = pa.concat_arrays([deep, pa.nulls(1, deep.type)])
        for name in ("undeclared", "x"):
            annotated = annotator_of({"x": {"datatype": "xsd:double"}}).annotate(
                pa.table({"at": [NOON] * 2, name: deep})
            )
            assert annotated.rejected.to_pylist() == [{"row": 0, "reason": f"{name}: nested more than 64 deep"}]
            assert annotated.events["_row"].to_pylist() == [1]


def test_of_a_long_column_name_the_beginning_is_told() -> None:
    wide = annotator_of({}).annotate(pa.table({"x" * 100: [1]}))
    assert wide.rejected["reason"].to_pylist() == [f"at: is missing; the columns are '{'x' * 60}…'"]
