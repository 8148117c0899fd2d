"""`run --events`: files take the place of a project's sources."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from kaicep import PipelineError
from kaicep.commands.jobs.recorded_sources import all_recorded, with_recorded_sources
from kaicep.config import Settings

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "lateness": "3s"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "1.csv").write_text("at;x\n2026-01-01;1\n")
    (tmp_path / "1.jsonl").write_text('{"at": "2026-01-01"}\n')
    air = STREAM | {"source": {"format": "csv", "path": "air/", "sep": ";", "header": False}}
    streams: dict[str, Any] = {"air": air, "door": STREAM | {"source": {"format": "kafka"}}, "derived": STREAM}
    return Settings.parse({"streams": streams}, root=tmp_path)


def sources(settings: Settings) -> dict[str, tuple[str, str | None, dict[str, str]] | None]:
    found = {name: stream.source for name, stream in settings.streams.items()}
    return {name: None if s is None else (s.format, s.path, s.options()) for name, s in found.items()}


def test_a_file_is_written_as_the_source_is_if_it_is_of_its_format(tmp_path: Path, settings: Settings) -> None:
    before = sources(settings)
    path = str(tmp_path / "1.csv")
    found = with_recorded_sources(settings, [f"air={path}"])
    assert sources(found) == before | {"air": ("csv", path, {"sep": ";", "header": "false"})}
    assert found.streams["air"].lateness == settings.streams["air"].lateness
    lines = str(tmp_path / "1.jsonl")
    other = with_recorded_sources(settings, [f"air={lines}", f"derived={lines}"])
    assert sources(other) == before | {"air": ("json", lines, {}), "derived": ("json", lines, {})}
    assert sources(settings) == before
    assert [s.streams["air"].max_ahead for s in (found, settings)] == [timedelta.max, timedelta(hours=1)]


def test_streams_end_when_none_of_their_sources_goes_on(tmp_path: Path, settings: Settings) -> None:
    air, door = f"air={tmp_path / '1.csv'}", f"door={tmp_path / '1.jsonl'}"
    assert [all_recorded(settings, files) for files in ([air], [door, air])] == [False, True]


def test_a_project_of_one_stream_needs_no_name(tmp_path: Path) -> None:
    only = Settings.parse({"streams": {"air": STREAM}}, root=tmp_path)
    (tmp_path / "a=1.csv").write_text("at\n")
    found = with_recorded_sources(only, [str(tmp_path / "a=1.csv")])
    assert sources(found) == {"air": ("csv", str(tmp_path / "a=1.csv"), {})}


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["{0}/1.csv"], "which stream is {0}/1.csv of?: write NAME={0}/1.csv; NAME is air or door or derived"),
        (["airs={0}/1.csv"], "the project has no stream 'airs': did you mean 'air'?"),
        (["air={0}/2.csv"], "cannot read {0}/2.csv: No such file or directory: name a file that is there"),
        (
            ["air={0}/1.csv", "air={0}/1.jsonl"],
            "stream air has two files: {0}/1.csv and {0}/1.jsonl: put them into one folder, and name that",
        ),
    ],
)
def test_what_cannot_be_a_source_is_refused(tmp_path: Path, settings: Settings, files: list[str], told: str) -> None:
    with pytest.raises(PipelineError) as caught:
        with_recorded_sources(settings, [file.format(tmp_path) for file in files])
    assert str(caught.value) == told.format(tmp_path)
