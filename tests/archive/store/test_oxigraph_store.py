"""The semantic store: all or nothing, twice is once, damage and locks are explained."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.annotator.triples import events_from_quads
from kaicep.archive.log.segment import Position
from kaicep.archive.sparql import Solutions, SparqlRequest
from kaicep.archive.store import OxigraphStore
from kaicep.archive.store.event_quads import encoder
from kaicep.archive.store.graphs import bucket_start, graph_of, graphs_between, graphs_of
from kaicep.archive.store.store_metadata import CommittedOffset
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, SHAPE, STREAM, TIME, readings

MINUTE = timedelta(minutes=1)
QUAD = b'<urn:s> <urn:p> "o" <urn:g> .\n'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OxigraphStore]:
    store = OxigraphStore(tmp_path / "store", MINUTE)
    yield store
    store.close()


def test_adding_twice_changes_nothing(store: OxigraphStore) -> None:
    quads = encoder({STREAM: SHAPE}, MINUTE)(STREAM, readings(10))
    store.add(quads)
    before = store.quads()
    store.add(quads)
    assert store.quads() == before == 40


def test_progress_comes_with_the_quads_and_outlives_the_process(tmp_path: Path) -> None:
    store = OxigraphStore(tmp_path / "store", MINUTE)
    assert store.committed() is None
    for rows in (5, 9):
        store.add(QUAD, CommittedOffset(Position(0, 3), total=9, rows=rows))
    store.close()
    again = OxigraphStore(tmp_path / "store", MINUTE)
    assert again.committed() == CommittedOffset(Position(0, 3), total=9, rows=9)
    assert again.quads() == 2
    again.close()


def test_the_later_of_two_marks_counts(store: OxigraphStore) -> None:
    for batch, rows in ((10, 1), (9, 7), (2, 3)):
        store.add(b"", CommittedOffset(Position(0, batch), total=9, rows=rows))
    assert store.committed() == CommittedOffset(Position(0, 10), total=9, rows=1)


def test_what_is_no_quads_is_refused_as_a_whole(store: OxigraphStore) -> None:
    with pytest.raises(ArchiveError) as error:
        store.add(QUAD + b"<urn:s> nonsense\n")
    assert str(error.value).startswith(f"{store.path}: events cannot be written to the store: Parser error at line ")
    assert error.value.hint == "check the individual templates and datatypes of the annotation"
    assert store.quads() == 0


def test_one_process_has_the_store_open(store: OxigraphStore) -> None:
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(store.path, MINUTE, timeout=0.1)
    assert str(error.value) == (
        f"{store.path}: process {os.getpid()} has the store open: "
        "stop it first; `kaicep sparql` can query the store meanwhile"
    )


def test_another_program_may_have_it_open(tmp_path: Path) -> None:
    held = ox.Store(tmp_path / "store")
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(tmp_path / "store", MINUTE)
    assert len(held) == 0
    assert str(error.value) == (
        f"{tmp_path}/store: another program has the store open: "
        "stop it first; `kaicep sparql` can query the store meanwhile"
    )


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("CURRENT", b"junk", "Corruption: CURRENT file does not end with newline"),
        ("CURRENT", b"MANIFEST-999999\n", "IO error: No such file or directory"),
    ],
)
def test_a_damaged_store_says_what_to_do(tmp_path: Path, file: str, content: bytes, reason: str) -> None:
    path = tmp_path / "store"
    OxigraphStore(path, MINUTE).close()
    (path / file).write_bytes(content)
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(path, MINUTE)
    assert error.value.message.startswith(f"the store cannot be used: {reason}")
    assert error.value.hint == "move the folder away; the next start builds it again from the log"
    assert error.value.place is not None
    assert error.value.place.source == str(path)


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(ArchiveError) as error:
        OxigraphStore(tmp_path / "store", MINUTE)
    assert error.value.message.startswith("the store cannot be used: [Errno 17] File exists")


def test_a_closed_store_says_so(store: OxigraphStore) -> None:
    store.close()
    with pytest.raises(ArchiveError) as error:
        store.answer(SparqlRequest("ASK {}"), {})
    assert str(error.value) == f"{store.path}: the store is closed: open the archive again"


def test_a_backup_goes_to_a_new_folder(store: OxigraphStore, tmp_path: Path) -> None:
    store.add(QUAD)
    store.backup(tmp_path / "copy")
    assert len(ox.Store.read_only(str(tmp_path / "copy"))) == 1
    with pytest.raises(ArchiveError) as error:
        store.backup(tmp_path / "copy")
    assert error.value.message.startswith("cannot copy the store: ")
    assert error.value.hint == "choose a new folder with enough space"


def test_graphs_are_named_by_stream_and_bucket() -> None:
    half = timedelta(milliseconds=500)
    times = pa.array([NINE, NINE + half, NINE + MINUTE], TIME)
    events = pa.table({"_time": times})
    assert graphs_of("a b", events, MINUTE).to_list() == [
        "urn:kaicep:graph:a%20b:2012-05-07T09:00:00Z",
        "urn:kaicep:graph:a%20b:2012-05-07T09:00:00Z",
        "urn:kaicep:graph:a%20b:2012-05-07T09:01:00Z",
    ]
    assert graphs_of(STREAM, events, half).to_list()[1] == f"urn:kaicep:graph:{STREAM}:2012-05-07T09:00:00.500000Z"
    assert graphs_of(STREAM, events.slice(0, 0), MINUTE).to_list() == []
    assert bucket_start(graph_of("a:b", NINE)) == NINE
    assert bucket_start("urn:kaicep:graph:knowledge") is None


@given(st.integers(0, 9), st.integers(-3, 12), st.integers(-3, 12))
def test_a_range_of_graphs_holds_every_event_of_the_range(minute: int, start: int, end: int) -> None:
    name = graph_of(STREAM, NINE + minute * MINUTE)
    low, high = NINE + start * 30 * SECOND, NINE + end * 30 * SECOND
    times = [NINE + minute * MINUTE + s * SECOND for s in range(60)]
    kept = graphs_between([name, "urn:kaicep:graph:knowledge"], MINUTE, low, high)
    if any(low <= t < high for t in times):
        assert name in kept
    assert "urn:kaicep:graph:knowledge" in kept


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
moments = st.datetimes(datetime(1000, 1, 1), datetime(3000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # zone given


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
