"""A table of Delta Lake that says how far it is."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from kaicep.archive.delta import delta_table
from kaicep.archive.delta.delta_table import CopiedTo, DeltaPlace, StorageAwayError, StreamTable
from kaicep.archive.log import Position, plain_table
from kaicep.errors import ArchiveError
from kaicep.storage import S3Options
from support import archives
from support.buckets import KEYS, ObjectStorage


def readings(count: int, first: int = 0) -> pa.Table:
    """Readings as the log has them."""
    return plain_table(archives.readings(count, first))


def place_of(root: Path, archive: str = "mine") -> DeltaPlace:
    return DeltaPlace.of("lake", root, S3Options(), archive)


def test_rows_and_position_are_there_together(tmp_path: Path) -> None:
    table = StreamTable(place_of(tmp_path), "log/air")
    assert table.copied() is None
    table.append(readings(3), CopiedTo(Position(0, 4), 3))
    table.append(readings(2, first=3), CopiedTo(Position(2, 7), 2))
    for each in (table, StreamTable(place_of(tmp_path), "log/air")):
        assert each.copied() == CopiedTo(Position(2, 7), 2)
    found = pl.scan_delta(str(tmp_path / "lake/log/air")).collect()
    assert found["flowrate"].sort().to_list() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert found.schema["_time"] == pl.Datetime("us", "UTC")


def test_columns_are_added_and_types_stay(tmp_path: Path) -> None:
    """The library itself would make 1.5 a 1."""
    table = StreamTable(place_of(tmp_path), "air")
    rows = readings(1)
    table.append(rows, CopiedTo(Position(0, 1), 1))
    table.append(rows.append_column("more", pa.array([1])), CopiedTo(Position(0, 2), 1))
    whole = rows.set_column(rows.column_names.index("flowrate"), "flowrate", pa.array([7]))
    table.append(whole, CopiedTo(Position(0, 3), 1))
    with pytest.raises(
        ArchiveError, match=r"air: column 'more' is int64 in the table of Delta Lake, and double in the log"
    ):
        table.append(rows.append_column("more", pa.array([1.5])), CopiedTo(Position(0, 4), 1))
    assert table.copied() == CopiedTo(Position(0, 3), 1)
    found = pl.scan_delta(str(tmp_path / "lake/air")).collect()
    assert (found["flowrate"].sort().to_list(), found["more"].drop_nulls().to_list()) == ([0.0, 0.0, 7.0], [1])


def test_a_table_of_others_is_left_alone(tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "lake/air"), pa.table({"x": [1]}))
    StreamTable(place_of(tmp_path, "another"), "sea").append(readings(1), CopiedTo(Position(0, 1), 1))
    for name in ("air", "sea"):
        with pytest.raises(ArchiveError, match=rf"lake/{name}: .* this archive has not written: name another folder"):
            StreamTable(place_of(tmp_path), name).copied()


def test_small_files_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta_table, "_COMMITS", 4)
    table = StreamTable(place_of(tmp_path), "air")
    for batch in range(6):
        table.append(readings(1, first=batch), CopiedTo(Position(0, batch), 1))
    assert len(DeltaTable(str(tmp_path / "lake/air")).file_uris()) < 4
    assert StreamTable(place_of(tmp_path), "air").copied() == CopiedTo(Position(0, 5), 1)
    assert pl.scan_delta(str(tmp_path / "lake/air")).collect().height == 6


def test_a_bucket_holds_tables(object_storage: ObjectStorage) -> None:
    """And what goes wrong there is told without keys."""
    lake = object_storage.folder("lake")
    place = DeltaPlace.of(str(lake), Path("/elsewhere"), object_storage.options, "mine")
    place = DeltaPlace(place.root, {**place.options, "max_retries": "0"}, "mine")
    table = StreamTable(place, "air")
    table.append(readings(2), CopiedTo(Position(0, 1), 2))
    assert StreamTable(place, "air").copied() == CopiedTo(Position(0, 1), 2)
    object_storage.stop()
    with pytest.raises(StorageAwayError, match=rf"{lake}/air: no connection") as away:
        table.append(readings(2, first=2), CopiedTo(Position(0, 2), 2))
    assert not any(secret in str(away.value) for secret in KEYS.values())
    object_storage.start()
    assert table.copied() == CopiedTo(Position(0, 1), 2)


def test_without_the_library_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "deltalake", None)
    with pytest.raises(
        ArchiveError, match=r"the library of Delta Lake is not installed: pip install 'kaicep\[delta\]'"
    ):
        StreamTable(place_of(tmp_path), "air")
