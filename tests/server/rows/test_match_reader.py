"""Rows are read behind any place, once, in their order: whatever batches they came in, however these lie in files."""

from __future__ import annotations

import pytest
from kaicep.archive import ArchivePlace
from kaicep.archive.matches import MatchLog
from kaicep.archive.sync.compaction import compact
from kaicep.config import Settings
from kaicep.server.rows import MatchReader, RowCursor
from support.kept_rows import keep_rows, row_id
from support.small_logs import ALL


def numbers(reader: MatchReader, cursor: RowCursor | None, limit: int = 1000) -> list[float]:
    return [one.row["flow"] for one in reader.after("high", cursor, limit)]


@pytest.fixture
def reader(settings: Settings) -> MatchReader:
    """Eight rows of four batches of two generations."""
    keep_rows(settings, 3, 1, 2, 3)
    keep_rows(settings, 7, 4)
    keep_rows(settings, 1, 5, 6, generation=1)
    keep_rows(settings, 2, 7, 8, generation=1)
    keep_rows(settings, 3, 100, query="other", generation=1)
    return MatchReader(settings)


def put_together(settings: Settings) -> None:
    log = MatchLog(ArchivePlace.of(settings).logs, 1).log
    log.lock()
    assert compact(log, ALL).before
    log.close()


@pytest.mark.parametrize("compacted", [False, True])
def test_rows_behind_every_place(settings: Settings, reader: MatchReader, compacted: bool) -> None:
    if compacted:
        put_together(settings)
    every = reader.after("high", None, 100)
    assert [one.row["flow"] for one in every] == [1, 2, 3, 4, 5, 6, 7, 8]
    for number, one in enumerate(every, 1):
        assert numbers(reader, one.cursor) == [*range(number + 1, 9)]
        assert numbers(reader, one.cursor, 2) == [*range(number + 1, 9)][:2]
    assert [one.row["flow"] for one in reader.newest("high", 3)] == [6, 7, 8]
    assert [one.cursor for one in reader.newest("high", 100)] == [one.cursor for one in every]
    assert reader.end("high") == every[-1].cursor
    assert reader.cursor_of("high", row_id(4)) == every[3].cursor
    assert reader.cursor_of("high", row_id(100)) is None
    assert (reader.count("high"), reader.columns("high"), reader.queries()) == (8, ("flow",), ("high", "other"))


def test_a_place_is_reached_up_to_the_last_row(settings: Settings, reader: MatchReader) -> None:
    every = [one.cursor for one in reader.after("high", None, 100)]
    assert [reader.reached("high", one) for one in every] == every
    for beyond in ("1-2-2", "1-3-0", "2-0-0"):
        assert reader.reached("high", RowCursor.parse(beyond)) == every[-1]
    assert reader.reached("high", None) is None
    assert reader.reached("none", every[0]) is None


def test_of_a_query_without_rows_there_are_none(settings: Settings) -> None:
    reader = MatchReader(settings)
    assert (reader.queries(), reader.after("high", None, 1), reader.newest("high", 1)) == ((), [], [])
    assert (reader.end("high"), reader.columns("high"), reader.version("high")) == (None, (), ())


def test_rows_that_a_batch_gets_when_it_comes_again_are_behind_the_others(settings: Settings) -> None:
    """As after a crash: what a client has had keeps its place, and it misses nothing."""
    keep_rows(settings, 0, 1, 3)
    reader = MatchReader(settings)
    had, version = reader.end("high"), reader.version("high")
    keep_rows(settings, 0, 1, 2, 3)
    assert reader.version("high") != version
    assert numbers(reader, had) == [2]
    assert numbers(reader, None) == [1, 3, 2]
