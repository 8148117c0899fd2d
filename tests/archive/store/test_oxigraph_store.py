"""The semantic store: all or nothing, twice is once, damage and locks are explained."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive.log import Position
from kaicep.archive.sparql import SparqlRequest
from kaicep.archive.store import OxigraphStore, StoreDamagedError
from kaicep.archive.store.event_quads import encoder
from kaicep.archive.store.store_metadata import CommittedOffset
from kaicep.errors import ArchiveError
from support.archives import SHAPE, STREAM, readings

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


@pytest.mark.parametrize("count", [1, 5_000], ids=["few, as a transaction", "many, as files"])
def test_quads_and_their_offset_come_together_however_many_they_are(store: OxigraphStore, count: int) -> None:
    quads = b"".join(b"<urn:s:%d> <urn:p> <urn:o> <urn:g> .\n" % number for number in range(count))
    for rows in (count - 1, count):
        store.add(quads, CommittedOffset(Position(0, 1), total=count, rows=rows))
    assert store.quads() == count + 1
    assert store.committed() == CommittedOffset(Position(0, 1), total=count, rows=count)
    with pytest.raises(ArchiveError, match="events cannot be written to the store"):
        store.add(quads + b"no quads\n", CommittedOffset(Position(0, 2), total=count, rows=count))
    assert store.quads() == count + 1


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


def test_a_closed_store_says_so(store: OxigraphStore) -> None:
    store.close()
    with pytest.raises(ArchiveError) as error:
        store.answer(SparqlRequest("ASK {}"), {})
    assert str(error.value) == f"{store.path}: the store is closed: open the archive again"


def test_a_backup_meets_the_damage_that_rocksdb_has_met_in_the_background(
    store: OxigraphStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It met it as it put files together, told nobody, and says so from then on (seen with pyoxigraph 0.5)."""

    class Damaged:
        def backup(self, _target: Path) -> None:
            raise RuntimeError("Corruption: block checksum mismatch: stored = 3, computed = 5 in 000016.sst offset 0")

    monkeypatch.setattr(OxigraphStore, "oxigraph", Damaged())
    with pytest.raises(StoreDamagedError) as met:
        store.backup(tmp_path / "copy")
    assert str(met.value).startswith(f"{store.path}: the store cannot be used: Corruption: block checksum mismatch")


def test_a_backup_goes_to_a_new_folder(store: OxigraphStore, tmp_path: Path) -> None:
    store.add(QUAD)
    store.backup(tmp_path / "copy")
    assert len(ox.Store.read_only(str(tmp_path / "copy"))) == 1
    with pytest.raises(ArchiveError) as error:
        store.backup(tmp_path / "copy")
    assert error.value.message.startswith("cannot copy the store: ")
    assert error.value.hint == "choose a new folder with enough space"
