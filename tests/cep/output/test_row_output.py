"""The rows that a query reports (docs/semantics.md 3.16)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep.cep.output import MatchFrame, RowOutput, output_schema
from kaicep.cep.output.row_output import key_text, row_schema, selected_bindings
from kaicep.expressions import plain_name
from kaicep.language.nodes import ValueType
from support.frames import frame_at
from support.operators import answer, compiled

ONE = "SELECT ?e.n FROM (?e, readings)"


def test_items_come_first_then_what_every_row_has() -> None:
    schema = output_schema(compiled("SELECT LIST(?e.x) AS all FROM (?e, readings) WINDOW (?e, batch, 5s)"))
    assert schema.names == ["all", "_time", "_events", "_window", "_id"]
    assert schema.field("all").type == pa.list_(pa.float64())
    assert output_schema(compiled(ONE)).names == ["n", "_time", "_events", "_id"]


def test_variables_under_not_are_no_events_of_a_row() -> None:
    query = compiled("SELECT ?a.n FROM (?a, readings), (?n, readings) SEQ (?a, NOT ?n FOR 1s)")
    assert output_schema(query).field("_events").type.names == ["a"]


def test_groups_of_output_stand_behind_the_rows() -> None:
    assert row_schema(compiled(f"{ONE} OUTPUT FIRST EVERY 5s")).names[-1] == "#group0"


def test_rows_have_their_events_and_a_digest_of_them() -> None:
    query = compiled(ONE)
    frame = frame_at([1, 2], ["p", "q"], {"n": [7, None]})
    rows = RowOutput(query, plain_name).rows(MatchFrame(frame, np.array([1, 2]), {"e": frame["_id"]})).to_pylist()
    assert [(row["n"], row["_events"]) for row in rows] == [(7, {"e": ["p"]}), (None, {"e": ["q"]})]
    assert rows[0]["_id"] != rows[1]["_id"]


def test_a_repetition_of_one_has_the_digest_of_the_event() -> None:
    query = compiled(ONE)
    frame = frame_at([1], ["p"], {"n": [7]})
    ids = [frame["_id"], pl.Series([["p"]]), pl.Series([["p", "q"]])]
    one, repeated, longer = (
        RowOutput(query, plain_name).rows(MatchFrame(frame, np.array([1]), {"e": of}))["_id"][0].as_py() for of in ids
    )
    assert one == repeated != longer


def test_the_same_rows_have_the_same_ids_whatever_the_text_looks_like() -> None:
    rows = [{"id": "p", "t": 0, "n": 1}]
    first, again = (answer(text, rows)[0]["_id"] for text in (ONE, "select  ?e.n from (?e, readings)"))
    assert first == again != answer("SELECT ?e.x FROM (?e, readings)", rows)[0]["_id"]


def test_text_cannot_imitate_a_separator() -> None:
    texts = key_text(pl.Series(["a\x1fb", "a\\b", "\x00", "ab"]), ValueType.STRING).to_list()
    assert texts == ["a\\\\\x1fb", "a\\\\\\b", "\\\\\x00", "ab"]


def test_bindings_are_those_that_items_show() -> None:
    path = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor ; bd:hasLocation ?room}"
    query = compiled(f"SELECT ?room, ?room AS again FROM (?e, readings) {path} FILTER (?floor > 1)")
    assert [binding.name for binding in selected_bindings(query)] == ["room"]


def test_frames_of_several_pieces_are_one() -> None:
    frame = frame_at([1], ["p"], {"n": [7]})
    piece = MatchFrame(frame, np.array([1]), {"e": pl.Series([["p"]])})
    joined = MatchFrame.joined([piece, piece])
    assert (joined.time.tolist(), joined.events["e"].to_list()) == ([1, 1], [["p"], ["p"]])
    assert MatchFrame.joined([piece]) is piece
