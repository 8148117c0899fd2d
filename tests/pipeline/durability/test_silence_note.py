"""What is kept of silence, and for whom."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep.pipeline.durability.silence_note import SilenceNote
from kaicep.pipeline.flow.idle_streams import IdleStreams, Silence
from support.clock import Clock

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NEWEST = {"air": NOON, "door": NOON + timedelta(seconds=1)}


def idle(clock: Clock) -> IdleStreams:
    return IdleStreams(dict.fromkeys(NEWEST, timedelta(seconds=30)), clock)


def kept(path: Path, clock: Clock) -> SilenceNote:
    """The note of an engine that has heard 20 s of silence; the door's watermark goes on by itself."""
    note, streams = SilenceNote(path), idle(clock)
    streams.resume({"door": Silence(15, NOON)})
    note.take_up(streams, NEWEST)
    clock.seconds += 20
    note.keep(NEWEST)
    return note


def test_another_engine_goes_on_with_the_silence(tmp_path: Path) -> None:
    clock = Clock()
    kept(tmp_path / "note", clock)
    clock.seconds += 1e6
    streams = idle(clock)
    note = SilenceNote(tmp_path / "note")
    note.take_up(streams, NEWEST)
    assert streams.silences == {"air": Silence(20), "door": Silence(35, NOON)}
    clock.seconds += 1
    note.take_up(streams, NEWEST)  # once
    assert streams.silences["air"] == Silence(21)


def test_a_stream_that_has_brought_something_since_was_not_silent(tmp_path: Path) -> None:
    clock = Clock()
    kept(tmp_path / "note", clock)
    streams = idle(clock)
    SilenceNote(tmp_path / "note").take_up(streams, NEWEST | {"air": NOON + timedelta(seconds=9)})
    assert streams.silences == {"air": Silence(0), "door": Silence(35, NOON)}


def test_it_is_renewed_now_and_then_and_at_the_end(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "note"
    note = kept(path, clock)
    for seconds, ends, noted in ((9, False, 20), (2, False, 31), (1, True, 32)):
        clock.seconds += seconds
        note.keep(NEWEST, ends=ends)
        assert json.loads(path.read_text())["air"][1] == noted
    note.keep(dict.fromkeys(NEWEST), ends=True)  # the streams have ended, which is taken back
    assert json.loads(path.read_text())["air"][1] == 32


@pytest.mark.parametrize("content", ["", "[1]", '{"air": 5}', '{"air": ["x", "y", null]}', '{"air"'])
def test_a_note_that_cannot_be_read_is_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "note").write_text(content)
    streams = idle(Clock())
    SilenceNote(tmp_path / "note").take_up(streams, NEWEST)
    assert streams.silences == {"air": Silence(0), "door": Silence(0)}


def test_a_disk_that_refuses_ends_nothing(tmp_path: Path) -> None:
    note = SilenceNote(tmp_path / "missing" / "note")
    note.take_up(idle(Clock()), NEWEST)
    note.keep(NEWEST, ends=True)
    assert not (tmp_path / "missing").exists()
