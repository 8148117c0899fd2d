"""Events as N-Quads: they come back as they were."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.archive.sparql import Solutions, SparqlRequest
from kaicep.archive.store import OxigraphStore
from kaicep.archive.store.event_quads import encoder
from support.archives import SHAPE, STREAM, TIME, readings
from support.event_triples import events_from_quads

MINUTE = timedelta(minutes=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OxigraphStore]:
    store = OxigraphStore(tmp_path / "store", MINUTE)
    yield store
    store.close()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
moments = st.datetimes(datetime(1000, 1, 1), datetime(3000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # zone given


@pytest.mark.slow
@given(st.lists(st.tuples(st.none() | texts, st.none() | st.floats(), moments), min_size=1, max_size=6))
@settings(max_examples=12, deadline=None)
def test_events_come_back_from_the_store_as_they_were(values: list[tuple[str | None, float | None, datetime]]) -> None:
    sensors, flows, times = (list(column) for column in zip(*values, strict=True))
    events = pa.table(
        {
            "_time": pa.array(times, TIME),
            "_id": pa.array([f"urn:kaicep:event:{STREAM}/{i}" for i in range(len(values))], pa.string()),
            "sensorID": pa.array(sensors, pa.string()),
            "flowrate": pa.array(flows, pa.float64()),
            "timestamp": pa.array(times, TIME),
            "_extra": pa.array(sensors, pa.string()),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        store = OxigraphStore(Path(folder) / "store", MINUTE)
        store.add(encoder({STREAM: SHAPE}, MINUTE)(STREAM, events))
        found = events_from_quads(SHAPE, store.oxigraph.dump(format=ox.RdfFormat.N_QUADS) or b"")
        store.close()
    expected = {row["_id"]: row for row in events.to_pylist()}
    assert {row["_id"]: repr(row) for row in found.select(events.column_names).to_pylist()} == {
        name: repr(row) for name, row in expected.items()
    }


def test_a_column_that_old_segments_lack_is_unbound(store: OxigraphStore) -> None:
    store.add(encoder({STREAM: SHAPE}, MINUTE)(STREAM, readings(2).drop(["flowrate"])))
    assert isinstance(
        found := store.answer(SparqlRequest("SELECT ?e { ?e e:sensor ?s }"), {"e": "http://e/"}), Solutions
    )
    assert len(found) == 2
    assert store.answer(SparqlRequest("ASK { ?e e:flow ?f }"), {"e": "http://e/"}) is False
