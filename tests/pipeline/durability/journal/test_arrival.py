"""Since when the first record of a batch has waited."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from kaicep.pipeline.durability.journal.arrival import arrival_of


def test_the_first_file_counts_by_when_it_came(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.touch()
    os.utime(file, (0, 0))  # written long ago, as a copy says
    came = datetime.fromtimestamp(file.stat().st_ctime, UTC)
    later = came + timedelta(hours=1)
    assert arrival_of(tmp_path, {"air": ["a.json", "gone.json"]}, later) == came
    assert arrival_of(tmp_path, {}, later) == later
    before = came - timedelta(hours=1)
    assert arrival_of(tmp_path, {"air": ["a.json"]}, before) == before
