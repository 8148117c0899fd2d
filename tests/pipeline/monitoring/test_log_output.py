"""Structured log lines."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from kaicep.pipeline.monitoring import LogOutput, log_context
from kaicep.settings import MonitoringSettings

LOG = logging.getLogger("kaicep")


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_says_what_it_is_about(tmp_path: Path) -> None:
    with LogOutput(MonitoringSettings(log="logs/kaicep.log"), tmp_path):
        with log_context(batch=7, query="hoch"):
            LOG.warning("parked: %s", "zu groß", extra={"rows": 12})
        LOG.debug("nobody asked for this")
    LOG.warning("after the end")
    (line,) = lines(tmp_path / "logs" / "kaicep.log")
    assert isinstance(line.pop("timestamp"), str)
    assert line == {"batch": 7, "query": "hoch", "event": "parked: zu groß", "level": "warning", "rows": 12}


def test_an_error_brings_its_traceback_on_one_line(tmp_path: Path) -> None:
    with LogOutput(MonitoringSettings(log="kaicep.log"), tmp_path):
        try:
            _ = 1 / 0
        except ZeroDivisionError:
            LOG.exception("it failed")
    (line,) = lines(tmp_path / "kaicep.log")
    assert "ZeroDivisionError" in str(line["exception"])


def test_files_rotate_and_old_ones_go(tmp_path: Path) -> None:
    settings = MonitoringSettings.model_validate({"log": "kaicep.log", "log_size": "1kB", "log_files": 2})
    with LogOutput(settings, tmp_path):
        for number in range(200):
            LOG.info("line %d", number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["kaicep.log", "kaicep.log.1", "kaicep.log.2"]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    assert lines(tmp_path / "kaicep.log")[-1]["event"] == "line 199"


def test_the_standard_error_is_for_programs_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    with LogOutput(MonitoringSettings(log_format="json"), tmp_path) as output:
        assert output.takes_standard_error
        output.telling(told.append)("queries: high has ended")
        output.note_failure("a batch failed")
    found = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["level"], line["event"]) for line in found] == [
        ("info", "queries: high has ended"),
        ("error", "a batch failed"),
    ]
    assert told == ["queries: high has ended"]


def test_nothing_is_logged_twice_where_no_log_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    with LogOutput(MonitoringSettings(), tmp_path) as output:
        assert not output.takes_standard_error
        output.telling(told.append)("starting Spark")
        output.note_failure("a batch failed")
    assert told == ["starting Spark"]
    assert capsys.readouterr() == ("", "")
