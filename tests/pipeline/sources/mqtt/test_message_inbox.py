"""Messages as files: durable when they are put, whole when the engine sees them, in order."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.pipeline.sources.mqtt.message_inbox import Message, MessageInbox

AT = datetime(2026, 1, 1, tzinfo=UTC)


def message(text: str | bytes) -> Message:
    return Message("a/b", text.encode() if isinstance(text, str) else text, AT)


def payloads(folder: Path) -> list[list[str]]:
    files = sorted(folder.glob("mqtt-*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
    return [[json.loads(line)["payload"] for line in file.read_text().splitlines()] for file in files]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "inbox" / "air"


def test_a_message_is_a_line() -> None:
    assert json.loads(message("21.5").line()) == {
        "topic": "a/b",
        "received": "2026-01-01T00:00:00.000000+00:00",
        "payload": "21.5",
    }
    assert json.loads(message(b"\xff\n").line())["bytes"] == "/wo="
    assert message("{\n}").line().count(b"\n") == 1


def test_what_is_put_goes_to_the_engine_together_and_in_order(folder: Path) -> None:
    inbox = MessageInbox(folder, age=60)
    assert inbox.open()
    assert inbox.due is None
    inbox.put([message("1"), message("2")])
    inbox.put([message("3")])
    assert payloads(folder) == []
    assert inbox.due is not None
    assert inbox.due > 50
    inbox.hand_over()
    inbox.put([message("4")])
    inbox.close()
    assert payloads(folder) == [["1", "2", "3"], ["4"]]
    times = [file.stat().st_mtime_ns for file in sorted(folder.iterdir())]
    assert times[0] < times[1]
    assert all(time % 10**6 == 0 for time in times)


def test_a_file_that_is_large_is_due_at_once(folder: Path) -> None:
    inbox = MessageInbox(folder, age=60, size=10)
    assert inbox.open()
    inbox.put([message("1")])
    assert inbox.due == 0.0
    inbox.close()


def test_what_a_killed_process_has_left_is_read_but_for_half_a_line(folder: Path) -> None:
    inbox = MessageInbox(folder, age=60)
    assert inbox.open()
    inbox.put([message("1"), message("2")])
    growing = folder.with_name("air.growing")
    growing.write_bytes(growing.read_bytes()[:-10])
    inbox._lock.release()
    later = MessageInbox(folder)
    assert later.open()
    assert payloads(folder) == [["1"]]
    assert not growing.exists()
    later.put([message("2")])
    later.close()
    assert payloads(folder) == [["1"], ["2"]]


def test_one_process_has_it(folder: Path) -> None:
    first, second = MessageInbox(folder), MessageInbox(folder)
    assert first.open()
    assert not second.open()
    first.close()
    assert second.open()
    second.close()


def test_what_waits_is_what_lies_there(folder: Path) -> None:
    inbox = MessageInbox(folder, age=60)
    assert inbox.open()
    size = len(message("1").line())
    inbox.put([message("1")])
    assert inbox.waiting() == size
    inbox.hand_over()
    inbox.put([message("1")])
    assert inbox.waiting() == 2 * size
    for file in folder.glob("mqtt-*"):
        file.unlink()
    assert inbox.waiting() == size
    inbox.close()


def test_a_clock_that_goes_back_changes_no_order(folder: Path) -> None:
    inbox = MessageInbox(folder)
    assert inbox.open()
    late = 4_000_000_000_000
    (folder / f"mqtt-{late}-1.jsonl").write_text('{"payload": "0"}\n')
    os.utime(folder / f"mqtt-{late}-1.jsonl", ns=(late * 10**6, late * 10**6))
    inbox.close()
    later = MessageInbox(folder)
    assert later.open()
    later.put([message("1")])
    later.close()
    assert payloads(folder) == [["0"], ["1"]]
