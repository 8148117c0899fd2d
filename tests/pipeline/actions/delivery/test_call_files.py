"""Files of calls that wait."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from kaicep.pipeline.actions.delivery.call_files import CallFiles, FileKey, ordinals_of
from support.receivers import calls_table


def test_files_come_in_order_and_go(tmp_path: Path) -> None:
    files = CallFiles(tmp_path / "outbox")
    assert files.keys() == []
    keys = [FileKey(0, 2), FileKey(0, 10), FileKey(1, 0)]
    for key in reversed(keys):
        files.write(key, calls_table([key.batch]))
    again = CallFiles(tmp_path / "outbox")
    assert again.keys() == keys
    assert again.read(keys[1]) == calls_table([10])
    again.remove(keys[1], durably=True)
    assert again.keys() == [keys[0], keys[2]]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".tmp-1-batch-000000000001.parquet.part").write_bytes(b"half")
    assert CallFiles(tmp_path).keys() == []
    assert list(tmp_path.iterdir()) == []


def test_ordinals() -> None:
    table = pa.concat_tables([calls_table([1], rule="a"), calls_table([2, 3], rule="b"), calls_table([4], rule="a")])
    found = {key: places.tolist() for key, places in ordinals_of(table).items()}
    assert found == {("ops", "a"): [0, 3], ("ops", "b"): [1, 2]}
