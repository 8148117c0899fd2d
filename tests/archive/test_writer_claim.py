"""Who writes a log in a bucket: the last one that has begun."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import obstore
import pytest
from kaicep.archive.log import EventLog, PreparedSegment, write_segment
from kaicep.archive.log.segment import plain_table
from kaicep.errors import ArchiveError
from kaicep.storage import BucketPath
from support.archives import STREAM, numbers, readings
from support.buckets import ObjectStorage


@pytest.fixture(name="place")
def _place(object_storage: ObjectStorage) -> BucketPath:
    return BucketPath.of(str(object_storage.folder("lake")), object_storage.options) / "log"


def writer(place: BucketPath, machine: Path) -> EventLog:
    """A log as a process of some machine writes it."""
    log = EventLog(place.anew(), locks=machine)
    log.lock()
    return log


def test_a_writer_that_was_thought_dead_learns_of_the_next_one(place: BucketPath, tmp_path: Path) -> None:
    """What it writes where there is nothing yet, the next one writes over; where there is, it is refused."""
    dead = writer(place, tmp_path / "one")
    dead.append(STREAM, 0, readings(3))
    living = writer(place, tmp_path / "two")
    dead.append(STREAM, 1, readings(3, first=3))
    living.append(STREAM, 1, readings(2, first=3))
    living.append(STREAM, 2, readings(3, first=5))
    assert numbers(living.read(STREAM)) == [0, 1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(ArchiveError, match="another process writes this archive"):
        dead.append(STREAM, 2, readings(9, first=50))
    with pytest.raises(ArchiveError, match="another process writes this archive"), dead.settling:
        pass
    assert numbers(EventLog(place.anew()).read(STREAM)) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_segments_of_tasks_count_likewise(place: BucketPath, tmp_path: Path) -> None:
    dead, living = writer(place, tmp_path / "one"), writer(place, tmp_path / "two")

    def prepared(name: str, count: int) -> PreparedSegment:
        path = place / STREAM / f".tmp-segment-{name}"
        write_segment(path, plain_table(readings(count)))
        return PreparedSegment(path, count)

    living.append(STREAM, 0, prepared("a", 4))
    living.append(STREAM, 0, prepared("b", 5))
    with pytest.raises(ArchiveError, match="another process writes this archive"):
        dead.append(STREAM, 0, prepared("c", 6))
    assert numbers(living.read(STREAM)) == [0, 1, 2, 3, 4]
    living.append(STREAM, 0, PreparedSegment(None))
    assert living.read(STREAM).num_rows == 0
    assert not list(EventLog(place.anew()).path.glob("*/*.parquet"))


def test_two_on_one_machine_have_a_lock(place: BucketPath, tmp_path: Path) -> None:
    own = writer(place, tmp_path)
    with pytest.raises(ArchiveError, match=r"process \d+ writes this archive"):
        writer(place, tmp_path)
    own.close()
    writer(place, tmp_path)
    (name,) = [path.name for path in place.iterdir()]
    assert name == ".writer-000000002"


def test_a_segment_whose_answer_was_lost_is_its_writer_s(
    place: BucketPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The batch is delivered again, and has other events now."""
    log, put = writer(place, tmp_path), obstore.put
    monkeypatch.setattr("kaicep.storage.shared.bucket_client.PATIENCE_S", 0.0)

    def losing(*args: Any, **options: Any) -> None:
        put(*args, **options)
        raise obstore.exceptions.GenericError("kind: Timeout")

    with monkeypatch.context() as patch:
        patch.setattr(obstore, "put", losing)
        with pytest.raises(ArchiveError, match="does not answer"):
            log.append(STREAM, 0, readings(3))
    log.append(STREAM, 0, readings(2))
    assert numbers(log.read(STREAM)) == [0, 1]
