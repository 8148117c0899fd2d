"""What the archive holds of which times, and where there is nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from kaicep.archive.sync import compact_archive
from kaicep.config import Settings
from kaicep.server.archive.archive_statistics import archive_statistics, covered_ranges
from support.archives import NINE, SECOND, STREAM, opened, readings


def archived(root: Path) -> Settings:
    """Batches of ten seconds, of which two are two minutes apart."""
    with opened(root) as archive:
        for batch, first in enumerate((0, 10, 150, 160)):
            archive.append(batch, {STREAM: readings(10, first=first)})
        return archive._settings


def test_what_is_covered(tmp_path: Path) -> None:
    settings = archived(tmp_path)
    expected = {
        "name": STREAM,
        "events": 40,
        "from": "2012-05-07T09:00:00Z",
        "to": "2012-05-07T09:02:49Z",
        "covered": [
            ["2012-05-07T09:00:00Z", "2012-05-07T09:00:19Z"],
            ["2012-05-07T09:02:30Z", "2012-05-07T09:02:49Z"],
        ],
        "gaps": [["2012-05-07T09:00:19Z", "2012-05-07T09:02:30Z", None]],
    }
    for _ in range(2):
        found = archive_statistics(settings, None)
        assert (found["events"], found["from"], found["to"]) == (40, expected["from"], expected["to"])
        assert found["bytes"] > 0
        assert found["streams"] == [expected]
        compact_archive(settings)
    (whole,) = archive_statistics(settings, timedelta(hours=1))["streams"]
    assert whole["gaps"] == []


def test_without_an_archive_there_is_nothing(plain: Settings) -> None:
    assert archive_statistics(plain, None)["streams"] == []


def test_ranges_are_put_together() -> None:
    times = [(NINE + a * SECOND, NINE + b * SECOND) for a, b in ((20, 30), (0, 10), (12, 15), (5, 40), (60, 60))]
    found = covered_ranges(times, timedelta(seconds=5))
    assert found == [(NINE, NINE + 40 * SECOND), (NINE + 60 * SECOND, NINE + 60 * SECOND)]
