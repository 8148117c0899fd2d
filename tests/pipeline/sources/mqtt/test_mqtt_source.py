"""Files of messages as a source, of one file as an executor reads it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.config import Settings
from kaicep.pipeline.sources import delivered_streams, source_streams
from kaicep.pipeline.sources.mqtt import MessageInbox, MqttSource
from kaicep.pipeline.sources.mqtt.message_inbox import Message

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"room": {}},
    "source": {"mqtt": {"server": "mqtt://b", "topics": "b/{room}"}},
}


def test_its_files_are_read_as_those_of_any_folder(tmp_path: Path) -> None:
    settings = Settings.parse({"streams": {"air": STREAM}}, root=tmp_path)
    of = source_streams(settings)["air"]
    assert isinstance(of, MqttSource)
    assert delivered_streams(settings) == frozenset()
    inbox = MessageInbox(tmp_path / "var/state/inbox/air")
    assert inbox.open()
    inbox.put([Message("b/r1", b'{"at": "2026-01-01T00:00:00Z"}', datetime(2026, 1, 1, tzinfo=UTC))])
    inbox.put([Message("b/r2", b"\xff", datetime(2026, 1, 1, tzinfo=UTC))])
    inbox.close()
    (file,) = inbox.folder.iterdir()
    batch = of.files([str(file)])
    assert batch.table.to_pylist() == [{"at": "2026-01-01T00:00:00Z", "room": "r1"}]
    assert [each.reason for each in batch.malformed] == ["no UTF-8"]


def test_what_is_no_message_is_a_dead_letter(tmp_path: Path) -> None:
    """Somebody has put a file there."""
    of = source_streams(Settings.parse({"streams": {"air": STREAM}}, root=tmp_path))["air"]
    (tmp_path / "x.jsonl").write_text('oops\n{"topic": 1}\n')
    batch = of.files([str(tmp_path / "x.jsonl")])
    assert batch.table.num_rows == 0
    assert len(batch.malformed) == 2
