"""A split is a file: of a source, of a recording, or of the log; what is no event of it is told apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive.log import plain_table, read_segment, write_segment
from kaicep.errors import PipelineError
from kaicep.pipeline.sharding.part_file import write_parts
from kaicep.pipeline.sharding.split_reading import (
    LETTERS,
    Split,
    collected_parts,
    letters_part,
    read_split,
    told_records,
)
from kaicep.pipeline.sources.records import Malformed, RawBatch, RecordOrigin, table_of_dicts
from kaicep.pipeline.sources.unreadable import UnreadableFile
from kaicep.storage import LocalFolder, is_transient
from support.keyed import STREAMS
from support.shards import PROJECT, reading, split_of

NOW = datetime(2024, 1, 1, tzinfo=UTC)
SOURCED = Project.parse({"streams": {"P": {**STREAMS["P"], "source": {"format": "json", "path": "in/"}}}})


def test_files_of_a_source_are_read_as_their_source_is(tmp_path: Path) -> None:
    """An array in a file of JSON lines is no record; a recording may be one."""
    split = replace(split_of(tmp_path, 0, [reading("a", 1)]), form="source")
    Path(str(split.records)).write_text('[{"id": "a", "t": "2024-01-01T00:00:01Z"}]', encoding="utf-8")
    raw, annotated = read_split(SOURCED, split, LocalFolder(tmp_path))
    assert [one.reason for one in raw.malformed] == ["an array instead of an object"]
    assert annotated.events.num_rows == 0
    _, annotated = read_split(SOURCED, replace(split, form="recording"), LocalFolder(tmp_path))
    assert annotated.events.num_rows == 1


def test_what_is_ahead_of_the_clock_is_refused(tmp_path: Path) -> None:
    split = replace(split_of(tmp_path, 0, [reading("a", 1), reading("b", 2)]), clock=(NOW, None))
    stream = SOURCED.settings.streams["P"].model_copy(update={"max_ahead": timedelta(seconds=1)})
    settings = SOURCED.settings.model_copy(update={"streams": {"P": stream}})
    _, annotated = read_split(replace(SOURCED, settings=settings), split, LocalFolder(tmp_path))
    assert annotated.events["id"].to_pylist() == ["a"]
    assert annotated.rejected.num_rows == 1


def test_events_of_the_log_are_as_they_were(tmp_path: Path) -> None:
    _, annotated = read_split(PROJECT, split_of(tmp_path, 0, [reading("a", 1), reading("b", 2)]), LocalFolder(tmp_path))
    path = tmp_path / "segment.parquet"
    write_segment(path, plain_table(annotated.events))
    _, again = read_split(PROJECT, Split("P", 0, path, "log", range(1, 2)), LocalFolder(tmp_path))
    assert again.events["_id"].to_pylist() == annotated.events["_id"].to_pylist()[1:]
    assert again.rejected.num_rows == 0
    assert read_segment(path).num_rows == 2


def test_a_file_that_is_not_reached_passes(tmp_path: Path) -> None:
    """It may have just gone, which the driver finds out when the batch is done again."""
    with pytest.raises(PipelineError, match=r"does not reach .*gone\.json: let all executors reach") as raised:
        read_split(SOURCED, Split("P", 0, tmp_path / "gone.json", "source"), LocalFolder(tmp_path))
    assert is_transient(raised.value)


def test_what_is_no_event_goes_to_the_driver(tmp_path: Path) -> None:
    split = split_of(tmp_path, 0, [reading("a", 1), {"id": "x", "t": "soon"}])
    with Path(str(split.records)).open("a", encoding="utf-8") as file:
        file.write("no JSON\n")
    raw, annotated = read_split(PROJECT, split, LocalFolder(tmp_path))
    write_parts(LocalFolder(tmp_path), "0.parts", {(LETTERS, "P"): letters_part(raw, annotated.rejected)})
    write_parts(LocalFolder(tmp_path), "1.parts", {})
    torn = UnreadableFile("/in/1.json", "it is torn", (3, 4))
    told = told_records(LocalFolder(tmp_path), "P", ["0.parts", "1.parts"], [torn])
    assert [(one.text, one.place) for one in told.malformed] == [("no JSON", f"{split.records}:3")]
    assert [one.text for one in told.refused] == ['{"id": "x", "t": "soon"}']
    assert told.unreadable == (torn,)


def test_what_the_driver_has_collected_is_read_with_its_places(tmp_path: Path) -> None:
    rows = [reading("a", 1), {"id": "x", "t": "soon"}]
    origin = RecordOrigin(lambda: ["one", "other"], (0, 1))
    raw = RawBatch(table_of_dicts(rows), (Malformed("no record", "it is none", "one, row 2"),), origin)
    write_parts(LocalFolder(tmp_path), "1.parts", collected_parts(raw))
    found, annotated = read_split(PROJECT, Split("P", 0, Path("1.parts"), "collected"), LocalFolder(tmp_path))
    assert annotated.events["id"].to_pylist() == ["a"]
    letters = [(letter.text, letter.place) for letter in found.letters(annotated.rejected)]
    assert letters == [("no record", "one, row 2"), ('{"id": "x", "t": "soon"}', "other, row 1")]
