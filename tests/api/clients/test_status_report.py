"""A status as people read it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from kaicep.api.clients.status_client import KnownStatus
from kaicep.api.clients.status_report import print_status, status_json
from kaicep.pipeline.monitoring import ArchiveStatus
from support.statuses import busy_engine

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def printed(known: KnownStatus, capsys: pytest.CaptureFixture[str]) -> str:
    print_status(known)
    return capsys.readouterr().out


def test_a_running_engine_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(KnownStatus(busy_engine(NOW), lives=True, age=0.4), capsys)
    lines = [" ".join(line.split()) for line in told.splitlines()]
    assert lines[0] == "engine: running, process 4711, kaicep 0.1.0, for 2:00:00"
    assert "batch 13 is at work, for 2.5 s" in lines
    assert "archive: 5.0 MB, the store lacks 17 events and 3 matches" in lines
    assert "thread kaicep-heartbeat has ended: restart the engine, and report this" in lines
    assert "air 1,200 20.0 3 2 5 2026-03-01 11:58:30 1.5 min" in lines
    assert "all parked 7 too many matches" in lines
    assert "high 2,000 500 25.0% 3" in lines
    assert "road.accident 2" in lines
    assert "ops 1,500 3 1 the receiver answers 500" in lines
    assert "queries 3.000 50.0%" in lines
    assert not [line for line in told.splitlines() if len(line) > 80]


def test_one_that_was_killed_says_when_it_was_last_heard_of(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(KnownStatus(busy_engine(NOW), lives=False, age=3_700.0), capsys)
    assert told.startswith("engine: killed, process 4711")
    assert "it was last heard of 3,700 s ago" in told
    assert "is at work" not in told


def test_one_that_says_nothing_is_suspicious(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(KnownStatus(busy_engine(NOW), lives=True, age=45.0), capsys)
    assert "it has said nothing for 45 s: its disk may be full, or the process stopped" in told


def test_a_store_that_is_built_again_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    why = "the store cannot be used: it lies in store.damaged-1 now"
    rebuilding = replace(busy_engine(NOW), archive=ArchiveStatus(5, 17, 3, why))
    assert f"\n  {why}\n" in printed(KnownStatus(rebuilding, lives=True, age=1.0), capsys)


def test_tables_of_delta_lake_that_are_behind_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(KnownStatus(busy_engine(NOW), lives=True, age=1.0), capsys)
    assert "\n  the tables of Delta Lake lack 250 events and 4 matches\n" in told
    assert "\n  they cannot be written: the storage does not answer\n" in told
    without = replace(busy_engine(NOW), archive=ArchiveStatus(5, 17, 3))
    assert "Delta Lake" not in printed(KnownStatus(without, lives=True, age=1.0), capsys)


def test_what_the_streams_wait_for_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = replace(busy_engine(NOW), waits_for="s3://lake/log takes no more (507)")
    line = "\n  the streams wait: s3://lake/log takes no more (507)\n"
    assert line in printed(KnownStatus(waiting, lives=True, age=1.0), capsys)
    assert line not in printed(KnownStatus(waiting, lives=False, age=1.0), capsys)


def test_that_nothing_is_read_yet_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    known = KnownStatus(replace(busy_engine(NOW), reads=False), lives=True, age=0.2)
    assert "\n  it has recovered, and starts Spark: what comes waits\n" in printed(known, capsys)
    ended = KnownStatus(replace(busy_engine(NOW), reads=False, state="stopped"), lives=False, age=0.2)
    assert "starts Spark" not in printed(ended, capsys)


def test_one_that_failed_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    failed = replace(busy_engine(NOW), state="failed", reason="the disk is full")
    assert "\n  the disk is full\n" in printed(KnownStatus(failed, lives=False, age=1.0), capsys)


def test_programs_get_everything() -> None:
    found = json.loads(status_json(KnownStatus(busy_engine(NOW), lives=False, age=1.0)))
    assert found["state"] == "killed"
    assert found["streams"]["air"]["watermark"] == "2026-03-01T11:58:25Z"
    assert found["queries"]["all"] == {
        "state": "parked",
        "matches": 7,
        "reason": "too many matches",
        "contexts": None,
        "shed": None,
    }
