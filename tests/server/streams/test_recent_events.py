"""The newest events of a stream, over any number of segments."""

from __future__ import annotations

from pathlib import Path

from kaicep.config import Settings
from kaicep.server.streams.recent_events import recent_events
from support.archives import STREAM, archived_project

ATTRIBUTES = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'


def test_newest_events(tmp_path: Path) -> None:
    archived_project(tmp_path)
    with (tmp_path / "kaicep.toml").open("a") as file:
        file.write(ATTRIBUTES)
    settings = Settings.load(tmp_path)
    found = recent_events(settings, STREAM, 2)
    assert found == [
        {
            "_id": f"urn:kaicep:event:{STREAM}/s{n % 4}/{n}",
            "_time": f"2012-05-07T09:02:{n - 120}Z",
            "flowrate": n / 2,
            "timestamp": f"2012-05-07T09:02:{n - 120}Z",
        }
        for n in (148, 149)
    ]
    assert recent_events(settings, STREAM, 31)[0]["flowrate"] == 119 / 2
    assert len(recent_events(settings, STREAM, 1000)) == 150


def test_without_an_archive_there_are_none(plain: Settings) -> None:
    assert recent_events(plain, "air", 5) == []
