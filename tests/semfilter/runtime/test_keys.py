"""The distinct keys of a batch, and the events that keys stand for."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pyoxigraph as ox
import pytest
from kaicep.language.nodes import XSD
from kaicep.semfilter.plan import KeyColumn, ResidualQuery
from kaicep.semfilter.runtime.keys import BatchKeys, Key, KeyReader, batch_keys, dictionary_of, key_events

SENSOR = KeyColumn("sensor", "urn:source", XSD + "string", ("urn:source", "urn:about"))
COUNT = KeyColumn("count", None, XSD + "integer", ("urn:count",))
EVENTS = pa.table(
    {
        "_id": ["urn:e0", "urn:e1", "urn:e2", "urn:e3"],
        "sensor": ["s1", "s2", "s1", None],
        "urn:source": ["urn:s1", None, "urn:s1", None],
        "count": pa.array([1, 1, 2, None], pa.int64()),
    }
)


def residual(*key: KeyColumn, identified: bool = False) -> ResidualQuery:
    return ResidualQuery("e", "?e ?p ?o", (), (), key, identified, (), None)


def per_event(keys: BatchKeys) -> list[Key]:
    return [keys.distinct[code] for code in keys.codes.tolist()]


def test_a_key_is_the_individual_else_the_raw_value_else_nothing() -> None:
    keys = batch_keys(residual(SENSOR), EVENTS)
    assert per_event(keys) == [((True, "urn:s1"),), ((False, "s2"),), ((True, "urn:s1"),), (None,)]
    assert len(keys.distinct) == 3


def test_a_key_of_several_columns_is_their_combination() -> None:
    found = per_event(batch_keys(residual(SENSOR, COUNT), EVENTS))
    assert found[0] == ((True, "urn:s1"), (False, 1))
    assert found[2] == ((True, "urn:s1"), (False, 2))
    assert found[3] == (None, None)


def test_what_depends_on_no_column_has_one_key_for_all_events() -> None:
    keys = batch_keys(residual(), EVENTS)
    assert (keys.distinct, per_event(keys)) == ([()], [()] * 4)
    assert batch_keys(residual(), EVENTS.slice(0, 0)).distinct == []


def test_an_event_that_can_be_told_from_others_is_part_of_its_key() -> None:
    found = per_event(batch_keys(residual(COUNT, identified=True), EVENTS))
    assert [key[0] for key in found] == [(True, f"urn:e{i}") for i in range(4)]


@pytest.mark.parametrize("limit", [1 << 20, 2])
def test_many_combinations_are_found_as_few_are(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.semfilter.runtime.keys._DENSE", limit)
    found = per_event(batch_keys(residual(SENSOR, COUNT), EVENTS))
    assert [key[1] for key in found] == [(False, 1), (False, 1), (False, 2), None]


def test_the_same_dictionary_gives_the_same_list_of_keys_again() -> None:
    """So that the batch after needs no look at its events."""
    reader = KeyReader(residual(KeyColumn("urn:source", "urn:source", XSD + "string", ("urn:source",))))
    iris = pa.array(["urn:s1", "urn:s2"])
    batches = [
        pa.table({"urn:source": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), iris)})
        for codes in ([0, 1], [1, 1, 0])
    ]
    first, second = (reader.of(batch) for batch in batches)
    assert first.distinct is second.distinct
    assert per_event(second) == [((True, "urn:s2"),), ((True, "urn:s2"),), ((True, "urn:s1"),)]


def test_keys_stand_for_events_with_the_properties_of_their_columns() -> None:
    named, raw, none = key_events(
        residual(SENSOR, COUNT), [((True, "urn:s1"), (False, 7)), ((False, "s2"), None), (None, None)]
    )
    seven = ox.Literal("7", datatype=ox.NamedNode(XSD + "integer"))
    assert named.values == ((SENSOR.properties, ox.NamedNode("urn:s1")), (COUNT.properties, seven))
    assert raw.values == ((SENSOR.properties, ox.Literal("s2")),)
    assert (none.values, none.id) == ((), None)


def test_an_identified_event_has_its_id_and_values_of_its_type() -> None:
    moment = KeyColumn("at", None, XSD + "dateTime", ("urn:at",))
    (found,) = key_events(
        residual(moment, identified=True), [((True, "urn:e1"), (False, datetime(2012, 5, 7, tzinfo=UTC)))]
    )
    assert found.id == "urn:e1"
    assert found.values == ((("urn:at",), ox.Literal("2012-05-07T00:00:00Z", datatype=ox.NamedNode(XSD + "dateTime"))),)


def test_a_column_of_any_encoding_is_one_dictionary() -> None:
    pieces = pa.chunked_array([["a", None], ["b", "a"]])
    for column in (pieces, pieces.dictionary_encode()):
        array = dictionary_of(column)
        assert array.to_pylist() == ["a", None, "b", "a"]
        assert sorted(array.dictionary.to_pylist()) == ["a", "b"]
