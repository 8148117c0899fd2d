"""Where a checkpoint begins is decided once."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import cast

import pytest
from kaicep.pipeline.kafka.offset_ranges import Offsets
from kaicep.pipeline.kafka.starting_offsets import noted_start, starting_offsets
from kaicep.pipeline.kafka.topic_offsets import TopicOffsets


class Topics:
    """Two topics, of which more and more records come."""

    def __init__(self) -> None:
        self.now = 10

    def earliest(self) -> Offsets:
        return {"a": {"0": 2, "1": 3}, "b": {"0": 1}}

    def latest(self) -> Offsets:
        self.now += 1
        return {"a": {"0": self.now, "1": self.now}, "b": {"0": self.now}}

    def at(self, moment: datetime) -> Offsets:
        return {"a": {"0": moment.year, "1": 7}, "b": {"0": 5}}


def start(note: Path, starting: str, read: Offsets | None = None) -> Offsets:
    return starting_offsets(note, read or {}, starting, cast("TopicOffsets", Topics()))


@pytest.mark.parametrize(
    ("starting", "wanted"),
    [
        ("earliest", {"a": {"0": 2, "1": 3}, "b": {"0": 1}}),
        ("latest", {"a": {"0": 11, "1": 11}, "b": {"0": 11}}),
        ("2026-01-01T00:00:00+00:00", {"a": {"0": 2026, "1": 7}, "b": {"0": 5}}),
    ],
)
def test_where_a_stream_begins(starting: str, wanted: Offsets, tmp_path: Path) -> None:
    assert start(tmp_path / "n.json", starting) == wanted


def test_it_is_decided_once(tmp_path: Path) -> None:
    note = tmp_path / "starts" / "n.json"
    assert noted_start(note) is None
    first = start(note, "latest")
    assert noted_start(note) == first == starting_offsets(note, {}, "latest", cast("TopicOffsets", None))


def test_what_was_read_goes_on_and_its_new_partitions_begin(tmp_path: Path) -> None:
    """Topics that were never read begin as the settings say."""
    found = start(tmp_path / "n.json", "latest", {"a": {"0": 8}, "gone": {"0": 1}})
    assert found == {"a": {"0": 8, "1": 3}, "b": {"0": 11}}


def test_a_note_that_is_torn_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "n.json").write_text('{"a": {')
    assert start(tmp_path / "n.json", "earliest")["b"] == {"0": 1}
