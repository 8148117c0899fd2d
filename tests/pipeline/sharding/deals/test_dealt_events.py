"""Events as parts: each once, and places among them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep.pipeline.sharding.deals.dealt_events import BEFORE, EVENTS_OF, OTHERS, PLACE, by_shard, dealt_parts, taken
from kaicep.pipeline.sharding.deals.event_deal import EventDeal
from kaicep.pipeline.sharding.keys import shard_of

KEYS = [5, 7, 5, 6, 7, 5]
EVENTS = pa.table(
    {
        "_time": pa.array(range(6), pa.timestamp("us", "UTC")),
        "_id": list("abcdef"),
        "key": KEYS,
        "text": pa.array(["x", "y", None, "x", "y", "x"]).dictionary_encode(),
        BEFORE: pa.array([None, 0, 1, 2, 3, 4], pa.timestamp("us", "UTC")),
    }
)
DEAL = EventDeal("P", "key", ("_time", "_id", "key", "text"), (("q", "e"),))


def dealt(deal: EventDeal, candidates: dict[tuple[str, str], pl.DataFrame], most: int = 3) -> dict[object, object]:
    found: dict[object, object] = {}
    for name, part in dealt_parts(deal, EVENTS, candidates, most):
        if isinstance(part, bytes):
            found[name] = part
        else:
            pieces = [part] if isinstance(part, pa.Table | pl.DataFrame) else list(part)
            found[name] = {c: [v for p in pieces for v in _list(p, c)] for c in _names(pieces[0])}
    return found


def _list(table: pa.Table | pl.DataFrame, name: str) -> list[object]:
    values: list[object] = table[name].to_pylist() if isinstance(table, pa.Table) else table[name].to_list()
    return values


def _names(table: pa.Table | pl.DataFrame) -> list[str]:
    return table.column_names if isinstance(table, pa.Table) else table.columns


def test_candidates_are_places_among_the_events_of_their_shard() -> None:
    """Events that nobody takes are not written; what PATHs bind stands beside places."""
    rows = [0, 1, 3, 5]
    bound = pl.DataFrame({PLACE: [1, 1, 4], "?x": ["r", "s", "t"]})
    found = dealt(DEAL, {("q", "e"): pl.DataFrame({PLACE: rows}), ("r", "b"): bound})
    shards = shard_of([pl.Series(KEYS)], 3).tolist()
    for shard in set(shards):
        own = [row for row in (0, 1, 3, 4, 5) if shards[row] == shard]
        events = found[EVENTS_OF, "P", "key", shard]
        assert events == {
            "_time": [EVENTS["_time"][row].as_py() for row in own],
            "_id": ["abcdef"[row] for row in own],
            "key": [KEYS[row] for row in own],
            "text": [["x", "y", None, "x", "y", "x"][row] for row in own],
        }
        places = found.get(("q", "e", shard))
        taken_rows = own if places == b"" else [own[place] for place in (places or {PLACE: []})[PLACE]]  # type: ignore[index]
        assert taken_rows == [row for row in rows if shards[row] == shard]
        beside = found.get(("r", "b", shard), {PLACE: [], "?x": []})
        told = [(own[p], x) for p, x in zip(beside[PLACE], beside["?x"], strict=True)]  # type: ignore[index]
        assert told == [(row, x) for row, x in ((1, "r"), (1, "s"), (4, "t")) if shards[row] == shard]


def test_where_a_deal_identifies_all_identities_are_written() -> None:
    deal = EventDeal("P", "key", DEAL.columns, DEAL.takers, identifies=True)
    found = dealt(deal, {("q", "e"): pl.DataFrame({PLACE: [0, 1]})}, most=1)
    assert found[EVENTS_OF, "P", "key", 0]["_id"] == ["a", "b"]  # type: ignore[index]
    assert found[OTHERS, "P", 0] == {
        "_id": list("cdef"),
        "_time": [EVENTS["_time"][row].as_py() for row in range(2, 6)],
        BEFORE: [EVENTS["_time"][row].as_py() for row in range(1, 5)],
    }
    assert found["q", "e", 0] == b""


def test_rows_by_shard_stay_in_their_order() -> None:
    numbers = np.array([2, 0, 2, 1, 0])
    rows = np.array([0, 1, 2, 4])
    assert {shard: own.tolist() for shard, own in by_shard(numbers, 3, rows)} == {0: [1, 4], 2: [0, 2]}
    assert {shard: own.tolist() for shard, own in by_shard(None, 3, rows)} == {0: [0, 1, 2, 4]}
    assert not list(by_shard(None, 3, np.array([], dtype=np.int64)))


def test_rows_of_a_frame_are_taken_piece_by_piece() -> None:
    frame = pl.DataFrame({"x": range(5)})
    assert [piece["x"].to_list() for piece in taken(frame, np.array([1, 4]))] == [[1, 4]]
    assert [piece["x"].to_list() for piece in taken(frame, np.arange(5))] == [[0, 1, 2, 3, 4]]
