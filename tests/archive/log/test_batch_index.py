"""Which batches a segment holds: found by position, written and read, in few bytes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from kaicep.archive.log.batch_index import BatchFacts, BatchIndex, Position

START = datetime(1969, 12, 31, 23, 59, 58, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MICROSECONDS = timedelta(microseconds=1)


def facts(batch: int, rows: int, generation: int = 0) -> BatchFacts:
    first = START + batch * SECOND
    return BatchFacts(Position(generation, batch), rows, first, first + batch * MICROSECONDS)


SOME = [facts(2, 1), facts(3, 5), facts(7, 2), facts(8, 4, generation=1)]


def test_batches_come_back_from_a_footer() -> None:
    index = BatchIndex.from_bytes(BatchIndex.of(SOME).to_bytes())
    assert list(index) == SOME
    assert (len(index), index.total) == (4, 12)


def test_the_footer_of_an_earlier_version_is_read() -> None:
    entries = [[b.position.generation, b.position.batch, b.rows, *map(micros, (b.first, b.last))] for b in SOME]
    assert list(BatchIndex.from_bytes(json.dumps(entries).encode())) == SOME
    assert list(BatchIndex.from_bytes(b"[]")) == []


def micros(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // MICROSECONDS


@pytest.mark.parametrize("text", [b"", b"bm8=", b"{}", b"\xff"])
def test_what_is_no_index_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        BatchIndex.from_bytes(text)


def test_batches_are_found_by_their_positions() -> None:
    index = BatchIndex.of(SOME)
    assert index.between(None, None) == range(4)
    assert index.between(Position(0, 2), Position(0, 7)) == range(1, 3)
    assert index.between(Position(0, 4), None) == range(2, 4)
    assert not index.between(Position(0, 3), Position(0, 6))
    assert not index.between(Position(1, 8), None)
    assert [index.position(i) for i in index.between(Position(0, 3), None)] == [Position(0, 7), Position(1, 8)]
    assert index.positions() == [facts.position for facts in SOME]
    assert index.rows(range(1, 3)) == range(1, 8)
    assert index.facts(range(1, 3)) == (7, SOME[1].first, SOME[2].last)


def test_no_more_batches_are_taken_than_have_some_rows_but_one_at_least() -> None:
    index = BatchIndex.of(SOME)
    assert index.first(range(4), 8) == range(3)
    assert index.first(range(4), 7) == range(2)
    assert index.first(range(1, 4), 1) == range(1, 2)
    assert index.first(range(1), 100) == range(1)


def test_a_batch_takes_few_bytes_in_the_footer_however_many_there_are() -> None:
    index = BatchIndex.of([facts(batch, 1 + batch % 3) for batch in range(20_000)])
    assert len(index.to_bytes()) < 4 * 20_000
