"""The spool: an archiver writes it, an engine takes from it, and what was taken goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.archive.log import read_segment
from kaicep.archive.sync import KeptEvents, Spool
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, STREAM, readings


def filled(root: Path) -> Spool:
    """Three batches of four readings."""
    spool = Spool(root)
    for batch in range(3):
        assert spool.append({STREAM: readings(4, first=4 * batch)}) == 4
    return spool


def test_events_are_read_in_order_behind_what_was_taken(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    assert spool.newest({}) == {STREAM: 3}
    assert spool.newest({STREAM: 3}) == {}
    pieces = [piece[STREAM].num_rows for piece in spool.pieces({STREAM: 1}, {STREAM: 3}, rows=4)]
    assert pieces == [4, 4]
    (whole,) = spool.pieces({}, {STREAM: 3}, rows=100)
    assert whole[STREAM]["_time"].to_pylist() == [NINE + n * SECOND for n in range(12)]
    assert spool.mark(STREAM, {}) == NINE + 11 * SECOND
    assert spool.mark(STREAM, {STREAM: 3}) is None
    spool.close()


def test_what_was_taken_is_noted_and_goes(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    assert spool.rows() == {STREAM: 12}
    Spool(tmp_path).settle({STREAM: 2})
    assert spool.taken() == {STREAM: 2}
    assert spool.rows() == {STREAM: 4}
    spool.tidy()
    assert list(spool.waiting({})) == [STREAM]
    assert len(spool.waiting({})[STREAM]) == 1
    spool.close()
    Spool(tmp_path).settle({STREAM: 3})
    assert Spool(tmp_path).waiting({}) == {}


def test_an_archiver_goes_on_behind_what_was_taken(tmp_path: Path) -> None:
    filled(tmp_path).close()
    Spool(tmp_path).settle({STREAM: 3})
    again = Spool(tmp_path)
    assert not again.archiver_runs
    again.append({STREAM: readings(1, first=12)})
    assert Spool(tmp_path).archiver_runs
    assert again.newest({STREAM: 3}) == {STREAM: 4}
    again.close()


def test_a_note_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    filled(tmp_path).close()
    (tmp_path / "intake/taken.json").write_text("[]")
    with pytest.raises(ArchiveError, match=r"taken\.json: the note of what was taken from the intake cannot be read"):
        Spool(tmp_path).taken()


def test_the_engine_goes_on_without_a_broken_segment(tmp_path: Path) -> None:
    archiver = Spool(tmp_path)
    for batch in range(3):
        archiver.append({STREAM: readings(5, first=5 * batch)})
    broken = tmp_path / "intake" / STREAM / "000000-000000000002.parquet"
    broken.write_bytes(broken.read_bytes()[:-20])
    reader = Spool(tmp_path)
    with pytest.raises(ArchiveError, match="the log segment is broken"):
        list(reader.pieces({}, reader.newest({}), 100))
    engine = Spool(tmp_path, taker=True)
    pieces = list(engine.pieces({}, engine.newest({}), 100))
    assert sum(piece[STREAM].num_rows for piece in pieces) == 10
    assert (tmp_path / "quarantine" / "intake" / STREAM / broken.name).exists()
    archiver.close()


def test_somebody_else_reads_what_is_whole(tmp_path: Path) -> None:
    """Slices of segments, behind what was taken; what is broken is set aside before they are told of."""
    archiver = Spool(tmp_path)
    for batch in range(4):
        archiver.append({STREAM: readings(5, first=5 * batch)})
    archiver.tidy()
    engine = Spool(tmp_path, taker=True)
    found = KeptEvents(engine, {STREAM: 1}, {STREAM: 3}, 100).slices()
    assert [read_segment(one.path, rows=one.rows).num_rows for one in found[STREAM]] == [5, 5]
    broken = tmp_path / "intake" / STREAM / "000000-000000000002.parquet"
    content = bytearray(broken.read_bytes())
    content[len(content) // 3] ^= 1
    broken.write_bytes(content)
    left = engine.slices({}, {STREAM: 4})[STREAM]
    assert broken not in [one.path for one in left]
    assert sum(one.facts.rows for one in left) == 15
    assert engine.slices({STREAM: 4}, {STREAM: 4}) == {}
    archiver.close()


def test_events_that_came_twice_are_there_twice(tmp_path: Path) -> None:
    """Whoever takes them counts the duplicates."""
    archiver = Spool(tmp_path)
    for _ in range(2):
        archiver.append({STREAM: readings(5)})
    assert [piece[STREAM].num_rows for piece in archiver.pieces({}, {STREAM: 2}, 100)] == [10]
    archiver.close()
