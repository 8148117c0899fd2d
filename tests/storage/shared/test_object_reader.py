"""An object as a file: only what is asked for is fetched."""

from __future__ import annotations

from random import Random
from typing import Any

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep.storage import path_at
from support.buckets import ObjectStorage


def test_places_are_those_of_the_content(object_storage: ObjectStorage) -> None:
    file = path_at(str(object_storage.folder()), object_storage.options) / "file"
    content, rng = Random(1).randbytes(400_000), Random(2)
    file.write_bytes(content)
    with file.open() as opened:
        assert opened.readable()
        assert opened.seekable()
        for _ in range(20):
            place, size = rng.randrange(500_000), rng.randrange(300_000)
            opened.seek(place)
            assert opened.read(size) == content[place : place + size]
        opened.seek(399_990)
        buffer = bytearray(20)
        assert opened.readinto(memoryview(buffer)) == 10
        assert buffer[:10] == content[-10:]


def test_columns_of_parquet_are_read_without_the_others(
    object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = path_at(str(object_storage.folder()), object_storage.options) / "file.parquet"
    rng = Random(3)
    table = pa.table({name: [rng.random() for _ in range(100_000)] for name in "abc"})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    file.write_bytes(sink.getvalue().to_pybytes())
    asked, ranges = [], obstore.get_ranges

    def counted(*args: Any, **options: Any) -> Any:
        asked.append(sum(end - start for start, end in zip(options["starts"], options["ends"], strict=True)))
        return ranges(*args, **options)

    monkeypatch.setattr(obstore, "get_ranges", counted)
    with file.open() as opened:
        assert pq.ParquetFile(opened, pre_buffer=True).read(["a"]) == table.select(["a"])
    assert 0 < sum(asked) < file.stat().st_size / 2
