"""What cuts a past into shards, and that cutting it changes no row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep import Project
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.spark.document_answer import DocumentAnswer
from kaicep.spark.event_tables import arrived_events, looked_at, parcels, plain_events
from kaicep.spark.shard_keys import shard_keys
from support.living import project

START = datetime(2026, 1, 1, tzinfo=UTC)
PAIR = "SELECT ?a.flow AS x, ?b.flow AS y FROM (?a, air), (?b, air)"
CUT = {
    "SELECT ?e.flow AS x FILTER (?e.flow > 2)": {"air": "_id"},
    "SELECT ?e.flow AS x PATH {?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Office}": {"air": "_id"},
    f"{PAIR} JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 4s)": {"air": "sensor"},
    f"{PAIR} JOIN (?a.ex:sensor = ?b.ex:sensor) JOIN (?a.flow < ?b.flow) WINDOW (?a, ?b, 4s)": {"air": "urn:ex:sensor"},
    f"{PAIR} SEQ (?a -> ?b) WINDOW (?a, ?b, 5s) PARTITION BY sensor AFTER MATCH SKIP PAST LAST EVENT": {
        "air": "sensor"
    },
    f"{PAIR} SEQ (?a, ?b{{1,3}}) WINDOW (?a, ?b, 5s) PARTITION BY sensor POLICY next".replace(
        "?b.flow AS y", "SUM(?b.flow) AS y"
    ): {"air": "sensor"},
    f"{PAIR}, (?n, air) FILTER (?n.flow > 3) JOIN (?a.sensor = ?b.sensor) JOIN (?a.sensor = ?n.sensor) "
    "SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 5s)": {"air": "sensor"},
    "SELECT ?e.sensor AS s, SUM(?e.flow) AS x WINDOW (?e, batch, 4s) GROUP BY ?e.sensor": {"air": "sensor"},
    "SELECT ?e.sensor AS s, AVG(?e.flow) AS x WINDOW (?e, sliding, 3 events) GROUP BY ?e.sensor": {"air": "sensor"},
    "SELECT ?e.sensor AS s, COUNT(?e) AS x WINDOW (?e, session, 2s) GROUP BY ?e.sensor": {"air": "sensor"},
    "SELECT ?e.sensor AS s, ADIFF(?e.flow) AS x GROUP BY ?e.sensor": {"air": "sensor"},
    "SELECT ?e.sensor AS s, ADIFF(AVG(?e.flow)) AS x WINDOW (?e, batch, 4s) GROUP BY ?e.sensor": {"air": "sensor"},
}
IN_TIME = "WINDOW (?a, ?b, 5s)"
WHOLE = [
    "SELECT SUM(?e.flow) AS x WINDOW (?e, batch, 4s)",
    "SELECT ?e.flow AS x LIMIT 3",
    "SELECT DISTINCT ?e.flow AS x",
    "SELECT ADIFF(?e.flow) AS x",
    "SELECT ?e.flow AS x OUTPUT LAST EVERY 3s",
    "SELECT ?e.sensor AS s, SUM(?e.flow) AS x WINDOW (?e, batch, 4s, START first) GROUP BY ?e.sensor",
    "SELECT ?e.sensor AS s, SUM(?e.flow) AS x WINDOW (?e, sliding, 4s, SHARED) GROUP BY ?e.sensor",
    f"{PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 4s)",
    f"{PAIR} JOIN (?a.sensor = ?b.sensor) SEQ (?a -> ?b) WINDOW (?a, ?b, 4s)",
    f"{PAIR} JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 4s) AFTER MATCH CONSUME",
    f"{PAIR} JOIN (?a.sensor = ?b.sensor OR ?a.flow = 1) SEQ (?a, ?b) WINDOW (?a, ?b, 4s)",
    f"{PAIR}, (?n, air) JOIN (?a.sensor = ?b.sensor) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 5s)",
    f"{PAIR}, (?n, air) JOIN (?a.sensor = ?n.sensor) JOIN (?n.sensor = ?b.sensor) SEQ (?a, NOT ?n, ?b) {IN_TIME}",
    "CREATE QUERY q AS SELECT ?e.flow AS x SELECT ?e.x AS x FROM (?e, q)",
    "SELECT ?a.flow AS x FROM (?a, air), (?b, air) SEQ (?a, EVERY 1s UNTIL ?b) WINDOW (?a, ?b, 3s) PARTITION BY sensor",
]


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("air"))


@pytest.mark.parametrize(("text", "keys"), CUT.items())
def test_queries_that_are_cut(air: Project, text: str, keys: dict[str, str]) -> None:
    assert shard_keys(air.compile(text), air.annotators) == keys


@pytest.mark.parametrize("text", WHOLE)
def test_queries_that_are_answered_whole(air: Project, text: str) -> None:
    assert shard_keys(air.compile(text), air.annotators) is None


def test_keys_follow_from_the_identity(tmp_path: Path) -> None:
    """A tuple that comes again, with another key, is a duplicate: both have to be in one shard."""
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "identity": ["sensor", "at"],
        "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
    }
    known = Project.parse({"streams": {"air": stream}}, root=tmp_path)
    text = "SELECT COUNT(?e) AS n WINDOW (?e, batch, 4s) GROUP BY ?e.{}"
    assert shard_keys(known.compile(text.format("flow")), known.annotators) is None
    assert shard_keys(known.compile(text.format("sensor")), known.annotators) == {"air": "sensor"}


READINGS = st.lists(
    st.fixed_dictionaries(
        {
            "sensor": st.sampled_from(["s1", "s2", "s3", None]),
            "at": st.integers(0, 24).map(lambda n: (START + n * timedelta(seconds=0.5)).isoformat()),
            "flow": st.sampled_from([None, 0.0, -0.0, 1.0, 2.0, 3.0, 4.0]),
        }
    ),
    max_size=20,
)


@given(readings=READINGS, text=st.sampled_from([*CUT]), shards=st.integers(1, 4))
def test_shards_have_the_rows_of_the_whole(
    air: Project, readings: list[dict[str, Any]], text: str, shards: int
) -> None:
    """Readings in order of time, in which a past is answered."""
    events = plain_events(air, "air", raw_table(readings)) if readings else None
    keys = shard_keys(air.compile(text), air.annotators)
    assert keys is not None
    needed = {*DocumentAnswer(air, text).columns["air"], keys["air"]}
    packed = [] if events is None else [*parcels("air", looked_at(events, needed), keys["air"], shards)]
    found: list[dict[str, Any]] = []
    for shard in {batch["shard"][0].as_py() for batch in packed}:
        own = pa.Table.from_batches([batch for batch in packed if batch["shard"][0].as_py() == shard])
        found += DocumentAnswer(air, text).rows(arrived_events(own), ends=True).to_pylist()
    expected = air.evaluate(text, {"air": sorted(readings, key=lambda reading: reading["at"])}).to_arrow().to_pylist()
    assert sorted(found, key=lambda row: row["_id"]) == sorted(expected, key=lambda row: row["_id"])
