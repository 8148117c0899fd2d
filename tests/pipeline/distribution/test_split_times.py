"""How far splits go, before anything is judged."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.pipeline.distribution.split_times import newest_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of


def test_the_greatest_time_stamp_of_a_split(tmp_path: Path) -> None:
    queries, folder = hosted_of(), LocalFolder(tmp_path)
    rows = [reading("a", 3), reading("b", 7.5), reading("c", 5)]
    assert newest_part(queries, split_of(tmp_path, 0, rows), folder, "n") == datetime(2024, 1, 1, 0, 0, 7, 500_000, UTC)
    assert newest_part(queries, split_of(tmp_path, 1, []), folder, "n") is None
