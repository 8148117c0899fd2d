"""Events that rules emit, with the columns of their stream."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
from kaicep.language.nodes import AttributeType, StreamType, ValueType
from kaicep.pipeline.flow.rules.emitted_events import event_types, fitted, united

NOW = datetime(2024, 1, 1, tzinfo=UTC)


def test_events_have_the_columns_that_readers_know() -> None:
    room = AttributeType("room", ValueType.STRING, "http://x/in", individual=True)
    stream = StreamType("e", (AttributeType("x", ValueType.DOUBLE), room, AttributeType("_time", ValueType.DATETIME)))
    types = event_types([stream])
    assert types == {"x": pa.float64(), "room": pa.string(), "http://x/in": pa.string()}
    events = pa.table({"_time": [NOW], "_id": ["1"], "x": [3], "other": ["?"]})
    assert fitted(events, types).to_pylist() == [
        {"_time": NOW, "_id": "1", "x": 3.0, "room": None, "http://x/in": None}
    ]


def test_dictionaries_of_sources_become_strings() -> None:
    one = pa.table({"_id": pa.array(["a", "b"]).dictionary_encode()})
    assert united([one]) is one
    both = united([one, pa.table({"_id": ["c"], "x": [1]})])
    assert both.to_pylist() == [{"_id": "a", "x": None}, {"_id": "b", "x": None}, {"_id": "c", "x": 1}]
