"""Messages as raw records."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from kaicep.config import Settings
from kaicep.pipeline.sources.mqtt.message_inbox import Message
from kaicep.pipeline.sources.mqtt.message_records import message_records
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin

START = datetime(2026, 1, 1, tzinfo=UTC)
TOPIC = "building/B1/co2"


def parsed(messages: list[tuple[str, str | bytes]], source: dict[str, str] | None = None, **mqtt: Any) -> RawBatch:
    names = ("at", "room", "kind", "value", "n", "t", "when")
    stream = {
        "event_type": "<urn:R>",
        "time": {"attribute": "at"},
        "attributes": {
            **{name: {} for name in names},
            "word": {"datatype": "xsd:string"},
            "who": {"individual": "<{+}>"},
        },
        "source": {"mqtt": {"server": "mqtt://b", "topics": "building/{room}/{kind}", **mqtt}, **(source or {})},
    }
    settings = Settings.parse({"streams": {"air": stream}}).streams["air"]
    assert settings.source is not None
    assert settings.source.mqtt is not None
    lines = [
        Message(topic, text.encode() if isinstance(text, str) else text, START + timedelta(seconds=number)).line()
        for number, (topic, text) in enumerate(messages)
    ]
    texts = pa.array([line.decode().removesuffix("\n") for line in lines], pa.string())
    return message_records(texts, RecordOrigin.of("mqtt-1.jsonl"), settings, settings.source.mqtt)


def wrong(batch: RawBatch) -> list[tuple[str, str]]:
    return [(each.text, each.reason) for each in sorted(batch.malformed, key=lambda each: each.place)]


def test_objects_get_what_stands_in_their_topics() -> None:
    batch = parsed([("building/B1/co2", '{"n": 1}'), ("building/B2/t", '{"n": 2, "kind": "other"}')])
    assert batch.table.select(["n", "room", "kind"]).to_pylist() == [
        {"n": 1, "room": "B1", "kind": "co2"},
        {"n": 2, "room": "B2", "kind": "t"},
    ]
    assert batch.text(1) == '{"n": 2, "kind": "other"}'
    assert batch.place(1) == "topic building/B2/t, received 2026-01-01T00:00:01.000000+00:00"


def test_topics_and_times_are_attributes_where_they_are_named() -> None:
    (row,) = parsed([(TOPIC, '{"n": 1}')], topic_name="t", received="when").table.to_pylist()
    assert row == {"n": 1, "room": "B1", "kind": "co2", "t": TOPIC, "when": "2026-01-01T00:00:00.000000+00:00"}


def test_one_message_may_have_many_records_and_all_come_in_order() -> None:
    batch = parsed([(TOPIC, '[{"n": 1}, {"n": 2}]'), (TOPIC, '{"n": 3}'), (TOPIC, "[]"), (TOPIC, ' [{"n": 4}] ')])
    assert batch.table["n"].to_pylist() == [1, 2, 3, 4]
    assert [batch.place(row)[-21:-13] for row in range(4)] == ["00:00:00", "00:00:00", "00:00:01", "00:00:03"]
    assert batch.text(3) == ' [{"n": 4}] '


def test_objects_over_several_lines_are_one_record() -> None:
    assert parsed([(TOPIC, '{\n"n": 1\n}'), (TOPIC, '{"n": 2}')]).table["n"].to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("payloads", "values"),
    [
        (["21.5", "22"], [21.5, 22]),
        (["ON", "OFF"], ["ON", "OFF"]),
        (['"ON"', "unavailable"], ["ON", "unavailable"]),
        (["true", "false"], [True, False]),
        (["1", "ON"], ["1", "ON"]),
        (["2026-01-01T00:00:00Z"], ["2026-01-01T00:00:00Z"]),
    ],
)
def test_a_payload_that_is_a_value(payloads: list[str], values: list[object]) -> None:
    assert parsed([(TOPIC, text) for text in payloads], value="value").table["value"].to_pylist() == values


@pytest.mark.parametrize("value", ["word", "who"])
def test_a_number_that_is_a_text_stays_as_it_is_written(value: str) -> None:
    """Versions and rooms are written so."""
    texts = ["1.10", " 2024.10 ", "1e5", "NaN", "true", '"1.0"', "ON"]
    found = parsed([(TOPIC, text) for text in texts], value=value).table[value].to_pylist()
    assert found == ["1.10", "2024.10", "1e5", "NaN", "true", "1.0", "ON"]


def test_null_is_no_value_and_a_dead_letter() -> None:
    batch = parsed([(TOPIC, "null"), (TOPIC, "3")], value="value")
    assert batch.table["value"].to_pylist() == [3]
    assert wrong(batch) == [("null", "null is no value")]


def test_objects_and_values_in_one_stream() -> None:
    batch = parsed([(TOPIC, "5"), (TOPIC, '{"value": 6}'), (TOPIC, "7")], value="value")
    assert batch.table["value"].to_pylist() == [5, 6, 7]


def test_what_is_no_record_is_a_dead_letter_with_its_topic() -> None:
    messages: list[tuple[str, str | bytes]] = [
        (TOPIC, '{"n": 1}'),
        (TOPIC, "5"),
        (TOPIC, "oops"),
        (TOPIC, b"\xff"),
        (TOPIC, ""),
        (TOPIC, '{"n": '),
        (TOPIC, '[{"n": 2}, 3]'),
        ("street/1", '{"n": 3}'),
        (TOPIC, "[" * 2000),
    ]
    batch = parsed(messages)
    assert batch.table["n"].to_pylist() == [1, 2]
    found = wrong(batch)
    assert {each.place.split(",")[0] for each in batch.malformed} == {f"topic {TOPIC}", "topic street/1"}
    assert dict(found) == {
        "5": 'no object; write value = "…" for the attribute that gets a payload that is a value',
        "oops": "no JSON: Expecting value: line 1 column 1 (char 0)",
        r"\xff": "no UTF-8",
        "": "no payload: by that what a broker has retained of a topic is removed",
        '{"n": ': dict(found)['{"n": '],
        '[{"n": 2}, 3]': "an array holds something that is no object",
        '{"n": 3}': "no topic of the stream: its topics have changed since it was subscribed to",
        "[" * 2000: dict(found)["[" * 2000],
    }
    assert dict(found)['{"n": '].startswith("no JSON:")
    assert "deep" in dict(found)["[" * 2000]


def test_documents_may_have_times_relative_to_when_they_came() -> None:
    settings = {"payload": "senml"}
    batch = parsed([(TOPIC, '[{"n": "a", "v": 1}, {"n": "b", "v": 2}]'), (TOPIC, "oops")], source=settings)
    rows = batch.table.select(["n", "t", "v", "room"]).to_pylist()
    moment = START.timestamp()
    assert rows == [
        {"n": "a", "t": moment, "v": 1, "room": "B1"},
        {"n": "b", "t": moment, "v": 2, "room": "B1"},
    ]
    assert [each.text for each in batch.malformed] == ["oops"]


def test_halves_of_surrogate_pairs_are_dead_letters() -> None:
    """No column takes them: one would end the batch, and each one that delivers it again."""
    texts = [r'"\ud800"', r'[{"n": 1}, {"kind": ["\udc00"]}, {"\ud800": 1}]', r'{"kind": "\ud800"}', r'"\ud83d\ude00"']
    batch = parsed([(TOPIC, text) for text in texts], value="value")
    assert batch.table.select(["n", "value"]).to_pylist() == [
        {"n": 1, "value": None},
        {"n": None, "value": "\U0001f600"},
    ]
    assert sorted(wrong(batch)) == sorted((texts[n], "no text: half of a surrogate pair") for n in (0, 1, 1, 2))


def test_no_message_at_all() -> None:
    batch = parsed([(TOPIC, "")])
    assert batch.table.num_rows == 0
    assert len(batch.malformed) == 1
