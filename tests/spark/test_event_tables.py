"""Events as Spark takes them, and in what order they are taken."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep import PlanError, Project
from kaicep.archive.log import plain_table
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.spark.event_tables import (
    ARRIVAL,
    PARCELS,
    arrived,
    arrived_events,
    check_single,
    event_schema,
    parcel,
    parcels,
    plain_events,
    rejected_rows,
    unpacked,
)
from support.living import project

READINGS = [
    {"sensor": "s1", "at": "2026-01-01T00:00:02Z", "flow": 1.5, "battery": 80},
    {"sensor": "s2", "at": "2026-01-01T00:00:01Z", "flow": None, "battery": None},
    {"sensor": "s3", "at": "at noon", "flow": 2.0, "battery": None},
    {"sensor": None, "at": "2026-01-01T00:00:02Z", "flow": -0.0, "battery": None},
    {"sensor": "s9", "at": None, "flow": 0.0, "battery": None},
]


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("air"))


@pytest.fixture
def events(air: Project) -> pa.Table:
    return plain_events(air, "air", raw_table(READINGS))


def test_events_are_those_of_the_annotator_in_the_types_of_the_log(air: Project, events: pa.Table) -> None:
    logged = plain_table(air.annotators["air"].annotate(raw_table(READINGS)).events)
    assert events.schema == event_schema(air.annotators["air"].shape)
    assert events.select(logged.column_names).to_pylist() == logged.to_pylist()


def test_what_is_no_event_has_its_reason(air: Project) -> None:
    found = rejected_rows(air, "air", raw_table(READINGS)).to_pylist()
    assert [row.pop("_reason") for row in found] == ["at: 'at noon' is no xsd:dateTime", "at: is missing"]
    assert found == [READINGS[2], READINGS[4]]


def test_wide_tuples_are_a_reading_each(tmp_path: Path) -> None:
    """As `evaluate` takes them."""
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
        "source": {"format": "csv", "path": "in/", "unpivot": {"name": "sensor", "value": "flow"}},
    }
    wide = Project.parse({"streams": {"air": stream}}, root=tmp_path)
    raw = raw_table([{"at": "2026-01-01T00:00:00Z", "s1": 1.0, "s2": 2.0}])
    with pytest.raises(PlanError, match=r"rejected beside streams\.air\.source\.unpivot.*unpivot the DataFrame first"):
        check_single(wide, "air", "rejected")
    assert [(e["sensor"], e["flow"]) for e in plain_events(wide, "air", raw).to_pylist()] == [("s1", 1.0), ("s2", 2.0)]


def test_the_order_is_that_of_time_however_a_frame_is_cut(events: pa.Table) -> None:
    twice = pa.concat_tables([events, events])
    ordered = arrived(twice).to_pylist()
    assert [event["_time"] for event in ordered] == sorted(event["_time"] for event in ordered)
    for seed in range(10):
        rows = random.Random(seed).sample(range(twice.num_rows), twice.num_rows)
        assert arrived(twice.take(pa.array(rows))).to_pylist() == ordered


def test_the_order_is_what_the_user_says(air: Project) -> None:
    numbers = [{"file": "b", "row": 1}, {"file": "a", "row": 2}, {"file": "a", "row": 0}, {"file": "a", "row": 1}]
    raw = raw_table([READINGS[0], READINGS[1], READINGS[2], READINGS[3]]).append_column(ARRIVAL, pa.array(numbers))
    ordered = arrived(plain_events(air, "air", raw))
    assert ordered["sensor"].to_pylist() == [None, "s2", "s1"]
    assert ARRIVAL not in ordered.column_names


def test_where_the_user_says_nothing_it_is_that_of_time(air: Project) -> None:
    same = raw_table(READINGS[:2]).append_column(ARRIVAL, pa.array([{"file": "a"}, {"file": "a"}]))
    assert arrived(plain_events(air, "air", same))["sensor"].to_pylist() == ["s2", "s1"]


def test_parcels_hold_what_was_packed(events: pa.Table) -> None:
    packed = pa.Table.from_batches([*parcels("air", events), *parcels("water", events.slice(1, 1))])
    assert packed.schema == PARCELS
    opened = arrived_events(packed)
    assert opened["air"].to_pylist() == arrived(events).to_pylist()
    assert opened["water"].to_pylist() == events.slice(1, 1).to_pylist()
    assert [*parcels("air", events.slice(0, 0))] == []
    assert unpacked(parcel("", 0, events)["payload"].to_pylist()).equals(events)


def test_equal_keys_are_of_one_shard() -> None:
    """Unbound is a key as well."""
    events = pa.table({"x": pa.array(["a", None, "a", "b", None, "c", "b", "d"])})
    shards: dict[object, set[int]] = {}
    for batch in parcels("air", events, "x", shards=3):
        for event in unpacked(batch["payload"].to_pylist()).to_pylist():
            shards.setdefault(event["x"], set()).add(batch["shard"][0].as_py())
    assert [len(found) for found in shards.values()] == [1] * 5
    assert len(set().union(*shards.values())) > 1
