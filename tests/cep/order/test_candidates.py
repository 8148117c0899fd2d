"""What candidates look like, and their numbers in the total order of events (docs/semantics.md 1.4)."""

from __future__ import annotations

import polars as pl
from kaicep.cep.order.candidates import Candidates, empty_candidates, number_events, numbered_events
from support.frames import frame_at
from support.operators import compiled


def test_no_candidates_have_the_columns_that_the_query_reads() -> None:
    path = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor}"
    query = compiled(f"SELECT ?e.n, ?floor FROM (?e, readings) {path} FILTER (?e.x > 1)")
    schema = empty_candidates(query.sources[0]).schema
    assert schema["_time"] == pl.Datetime("us", "UTC")
    assert dict(schema) | {"_id": pl.String(), "n": pl.Int64()} == dict(schema)
    assert "?floor" in schema
    assert "note" not in schema


def test_numbers_are_places_in_the_order_of_time_and_id() -> None:
    """An event has one number, in whichever frames and however often it stands."""
    frames = {"a": frame_at([1, 2, 2], ["p", "r", "r"]), "b": frame_at([2, 2], ["q", "r"])}
    numbers = number_events(frames, 10)
    assert {v: of.tolist() for v, of in numbers.items()} == {"a": [10, 12, 12], "b": [11, 12]}


def test_variables_with_the_same_events_have_the_same_numbers() -> None:
    """These are found once; events of one id at other moments, or in other windows, are others."""
    same, later = frame_at([1, 2, 2], ["p", "q", "r"]), frame_at([1, 2, 3], ["p", "q", "r"])
    numbers = number_events({"a": same, "b": later, "c": same, "d": frame_at([2], ["r"])}, 10)
    found = {v: of.tolist() for v, of in numbers.items()}
    assert found == {"a": [10, 11, 12], "b": [10, 11, 13], "c": [10, 11, 12], "d": [12]}
    frames = {
        v: frame_at([2, 2], ["q", "q"], {"#window": windows}) for v, windows in {"a": [7, 8], "b": [7, 9]}.items()
    }
    assert {v: of.tolist() for v, of in number_events(frames, 0).items()} == {"a": [0, 1], "b": [0, 2]}


def test_candidates_know_their_time_stamps_in_microseconds() -> None:
    frame = frame_at([7, 9])
    assert Candidates(frame, number_events({"a": frame}, 0)["a"], 1).time.tolist() == [7, 9]


def test_an_event_has_a_number_in_each_window_and_one_place() -> None:
    frames = {
        "a": frame_at([1, 2, 2], ["p", "q", "q"], {"#window": [7, 7, 9]}),
        "b": frame_at([2, 2], ["q", "r"], {"#window": [9, 7]}),
    }
    numbers, places = numbered_events(frames, 10)
    assert {v: of.tolist() for v, of in numbers.items()} == {"a": [10, 11, 12], "b": [12, 13]}
    assert {v: of.tolist() for v, of in places.items()} == {"a": [10, 11, 11], "b": [11, 13]}
