"""An inbox is the folder that a stream reads: files come in order, and no more than the engine can take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.server.events.event_inbox import EventInbox, EventInboxes
from kaicep.server.problem import ProblemError

SOURCE = {"format": "json", "path": "in", "cleanSource": "delete"}


def project(root: Path, source: dict[str, Any] | None, **server: str) -> Settings:
    stream: dict[str, Any] = {"event_type": "<urn:Reading>", "time": {"attribute": "at"}}
    if source is not None:
        stream["source"] = source
    return Settings.parse({"streams": {"air": stream}, "server": server}, root=root)


def test_files_come_in_the_order_of_requests(tmp_path: Path) -> None:
    """Also those of one millisecond."""
    inbox = EventInbox(project(tmp_path, SOURCE), "air")
    for number in range(20):
        inbox.put([f"{number}".encode(), b"x"])
    files = sorted((tmp_path / "in").iterdir(), key=lambda file: file.stat().st_mtime_ns // 10**6)
    assert [file.read_text() for file in files] == [f"{number}\nx\n" for number in range(20)]
    assert len({file.stat().st_mtime_ns // 10**6 for file in files}) == 20


def test_the_next_server_goes_on_behind_what_the_last_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the clock has been put back since."""
    settings = project(tmp_path, SOURCE)
    EventInbox(settings, "air").put([b"first"])
    monkeypatch.setattr("time.time_ns", lambda: 10**15)
    EventInbox(settings, "air").put([b"second"])
    files = sorted((tmp_path / "in").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    assert [file.read_text() for file in files] == ["first\n", "second\n"]


def test_where_too_much_waits_no_more_is_taken(tmp_path: Path) -> None:
    inbox = EventInbox(project(tmp_path, SOURCE, backlog="1 kB"), "air")
    inbox.put([2000 * b"x"])
    with pytest.raises(ProblemError, match="2,001 bytes of events wait for the engine") as refused:
        inbox.put([b"y"])
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "5"})
    for file in (tmp_path / "in").iterdir():
        file.unlink()
    inbox.put([b"y"])


def test_a_file_that_the_engine_removes_meanwhile_waits_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = EventInbox(project(tmp_path, SOURCE), "air")
    inbox.put([b"x"])
    listed = Path.glob

    def removed(folder: Path, pattern: str) -> list[Path]:
        found = list(listed(folder, pattern))
        for file in found:
            file.unlink()
        return found

    monkeypatch.setattr(Path, "glob", removed)
    inbox.put([b"y"])
    assert [file.read_text() for file in (tmp_path / "in").iterdir()] == ["y\n"]


def test_a_stream_has_one_inbox(tmp_path: Path) -> None:
    inboxes = EventInboxes(project(tmp_path, SOURCE))
    assert inboxes.of("air") is inboxes.of("air")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "reads no folder of JSON"),
        ({"format": "csv", "path": "in"}, "reads no folder of JSON"),
        ({**SOURCE, "path": "in/*.json"}, "reads no plain folder of JSON lines"),
        ({**SOURCE, "multiLine": True}, "reads no plain folder of JSON lines"),
        ({"format": "json", "path": "in"}, "keeps what it has read, so nobody knows what waits"),
    ],
)
def test_a_stream_that_reads_no_such_folder_has_none(
    tmp_path: Path, source: dict[str, Any] | None, message: str
) -> None:
    with pytest.raises(ProblemError, match=message) as refused:
        EventInbox(project(tmp_path, source), "air")
    assert refused.value.status == 409


def test_an_unknown_stream_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match="has no stream 'ai': did you mean 'air'") as refused:
        EventInbox(project(tmp_path, SOURCE), "ai")
    assert refused.value.status == 404
