"""Where wall clock moved watermarks is kept as it was, or not at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep.archive.log import IdleWatermarkLog, Position
from kaicep.archive.sync.compaction import CompactionPolicy, compact
from kaicep.errors import ArchiveError

MOMENT = datetime(2026, 1, 1, 12, 30, 0, 7, tzinfo=UTC)
LATER = MOMENT + timedelta(seconds=5)


def positions(log: IdleWatermarkLog) -> list[Position]:
    return [position for position, _ in log.scan()]


def test_what_is_written_comes_back_in_order(tmp_path: Path) -> None:
    log = IdleWatermarkLog(tmp_path / "advances")
    assert positions(log) == []
    log.write(Position(0, 12), {"air": LATER})
    log.write(Position(0, 7), {"air": MOMENT, "räume/1": MOMENT})
    assert positions(log) == [Position(0, 7), Position(0, 12)]
    assert log.read(Position(0, 7)) == {"air": MOMENT, "räume/1": MOMENT}
    assert log.read(Position(0, 8)) == {}


def test_a_note_can_take_the_place_of_the_one_before(tmp_path: Path) -> None:
    log = IdleWatermarkLog(tmp_path)
    log.write(Position(0, 7), {"air": MOMENT, "door": MOMENT})
    log.write(Position(0, 9), {"air": LATER}, replaces=Position(0, 7))
    assert positions(log) == [Position(0, 9)]
    assert log.read(Position(0, 9)) == {"air": LATER, "door": MOMENT}


def test_a_batch_that_moves_nothing_any_more_has_no_note(tmp_path: Path) -> None:
    log = IdleWatermarkLog(tmp_path)
    log.write(Position(0, 7), {"air": MOMENT})
    log.write(Position(0, 7), {})
    assert positions(log) == []


def test_old_notes_can_be_removed(tmp_path: Path) -> None:
    log = IdleWatermarkLog(tmp_path)
    for batch in range(4):
        log.write(Position(0, batch), {"air": MOMENT})
    log.remove(before=Position(0, 2))
    assert positions(log) == [Position(0, 2), Position(0, 3)]


def test_a_file_per_batch_is_put_together_like_those_of_events(tmp_path: Path) -> None:
    log = IdleWatermarkLog(tmp_path)
    for batch in range(40):
        log.write(Position(0, batch), {"air": MOMENT + timedelta(seconds=batch)})
    compact(log.log, CompactionPolicy())
    assert len(list((tmp_path / "watermarks").iterdir())) == 2
    assert positions(log) == [Position(0, batch) for batch in range(40)]
    assert log.read(Position(0, 7)) == {"air": MOMENT + timedelta(seconds=7)}
    log.write(Position(0, 40), {"door": LATER}, replaces=Position(0, 39))
    assert log.read(Position(0, 40)) == {"air": MOMENT + timedelta(seconds=39), "door": LATER}


def test_notes_of_earlier_versions_become_part_of_the_log(tmp_path: Path) -> None:
    for batch in (3, 11):
        note = {"air": MOMENT.isoformat(), "door": (MOMENT + timedelta(seconds=batch)).isoformat()}
        (tmp_path / f"000000-{batch:012d}.json").write_text(json.dumps(note), encoding="utf-8")
    log = IdleWatermarkLog(tmp_path)
    log.open()
    log.close()
    assert not list(tmp_path.glob("*.json"))
    assert dict(IdleWatermarkLog(tmp_path).scan()) == {
        Position(0, batch): {"air": MOMENT, "door": MOMENT + timedelta(seconds=batch)} for batch in (3, 11)
    }


def test_a_broken_note_of_earlier_versions_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "000000-000000000003.json"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(ArchiveError) as error:
        IdleWatermarkLog(tmp_path).open()
    assert str(error.value) == (
        f"{path}: the note of moved watermarks cannot be read: 'list' object has no attribute 'items': "
        "restore it from a copy, or remove it: a replay then takes the streams' own time"
    )


def test_watermarks_that_cannot_be_written_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "advances").write_text("", encoding="utf-8")
    with pytest.raises(ArchiveError) as error:
        IdleWatermarkLog(tmp_path / "advances").write(Position(0, 3), {"air": MOMENT})
    assert str(error.value) == (
        f"{tmp_path}/advances: the log cannot be written: File exists: choose another path under [archive]"
    )
