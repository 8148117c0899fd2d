"""The past, chunk by chunk: each event once, and watermarks that rise to the border."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from kaicep.archive import Archive
from kaicep.planner import BackfillChunk, BackfillRequest, Seam, lowest_watermark
from kaicep.planner.backfill_chunks import TimeRange, at_most, pieces, replayed, replayed_from
from support.archives import NINE, SECOND, STREAM, opened, readings

COLUMNS = {STREAM: frozenset({"flowrate"})}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """A hundred readings in ten batches."""
    with opened(tmp_path, store=False) as archive:
        for batch in range(10):
            archive.append(batch, {STREAM: readings(10, first=10 * batch)})
        yield archive


def request(border: datetime | None, start: datetime | None = None, end: datetime | None = None) -> BackfillRequest:
    return BackfillRequest((), TimeRange(start, end), COLUMNS, {STREAM: border})


def rates(chunks: list[BackfillChunk]) -> list[float]:
    return [rate for chunk in chunks for rate in chunk.events[STREAM]["flowrate"].to_pylist()]


def test_replay_gives_each_event_once_in_chunks_of_about_so_many(archive: Archive) -> None:
    chunks = list(replayed(archive.scan([STREAM]), request(None), rows=30))
    assert rates(chunks) == [n / 2 for n in range(100)]
    assert len(chunks) > 2
    assert all(chunk.events[STREAM].num_rows <= 40 for chunk in chunks)


def test_watermarks_rise_from_chunk_to_chunk_and_end_at_the_border(archive: Archive) -> None:
    border = NINE + 50 * SECOND
    chunks = list(replayed(archive.scan([STREAM]), request(border), rows=20))
    told = [chunk.watermarks[STREAM] for chunk in chunks]
    assert told == sorted(moment for moment in told if moment is not None)
    assert told[-1] == border
    for chunk, watermark in zip(chunks[:-1], told, strict=False):
        assert watermark is not None
        assert max(chunk.events[STREAM]["_time"].to_pylist()) < watermark


def test_replay_may_begin_at_a_moment(archive: Archive) -> None:
    chunks = list(replayed_from(NINE + 90 * SECOND, archive.scan([STREAM]), request(None), rows=1000))
    assert rates(chunks) == [n / 2 for n in range(90, 100)]
    ends_before = request(None, end=NINE + 80 * SECOND)
    assert list(replayed_from(NINE + 90 * SECOND, archive.scan([STREAM]), ends_before, rows=1000)) == []


def test_the_past_is_cut_at_borders_and_at_the_watermark() -> None:
    a, b, c = (NINE + n * SECOND for n in range(3))
    assert list(pieces(request(b), [a, c])) == [(None, a), (a, b), (b, None)]
    assert list(pieces(request(None, a, c), [b])) == [(a, b), (b, c)]
    assert list(pieces(BackfillRequest((), None, {}, {}), [a])) == []


def test_watermarks_are_compared_stream_by_stream() -> None:
    later = NINE + SECOND
    assert lowest_watermark({"a": later, "b": NINE}) == NINE
    assert lowest_watermark({"a": NINE, "b": None}) is None
    assert lowest_watermark({}) is None
    assert at_most({"a": later, "b": None}, NINE) == {"a": NINE, "b": None}
    assert at_most({"a": later}, None) == {"a": later}


def test_the_seam_drops_what_the_archive_gave(archive: Archive) -> None:
    border = NINE + 95 * SECOND
    seam = Seam({STREAM: border})
    assert seam.passed(None)
    seam.note(BackfillChunk({}, events=archive.scan([STREAM]).read(None, None, COLUMNS)))
    assert seam.drop(readings(10, first=95)).num_rows == 5
    assert seam.drop(readings(10)).num_rows == 10, "what lies below the border does not come again"
    assert not seam.passed(NINE + 99 * SECOND)
    assert seam.passed(NINE + 100 * SECOND)
