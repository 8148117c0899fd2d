"""Who keeps the same events of a batch keeps one copy; pieces are put together alike for all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from kaicep.cep.order import SharedEvents, held_bytes

_START = datetime(2026, 1, 1, tzinfo=UTC)


def events(first: int, count: int, **more: float) -> pl.DataFrame:
    """Events, one a second."""
    numbers = range(first, first + count)
    times = pl.Series("_time", [_START + timedelta(seconds=n) for n in numbers], pl.Datetime("us", "UTC"))
    ids = pl.Series("_id", [f"event-with-a-long-name-{n}" for n in numbers], pl.String())
    return pl.DataFrame([times, ids, *(pl.Series(name, [value] * count) for name, value in more.items())])


def test_equal_columns_are_held_once() -> None:
    """A column that differs is one's own."""
    shared = SharedEvents()
    one, other = shared.shared(events(0, 1_000, x=1.0)), shared.shared(events(0, 1_000, x=2.0))
    assert other["x"].to_list() == [2.0] * 1_000
    assert held_bytes([one, other]) == held_bytes([one]) + 8 * 1_000
    assert held_bytes([one, shared.shared(events(0, 1_000, x=1.0)), one[500:]]) == held_bytes([one])


def test_other_events_are_not_taken_for_them() -> None:
    """Not even where there are as many at the same moments; and nothing is known of earlier batches."""
    shared = SharedEvents()
    one = shared.shared(events(0, 2))
    renamed = events(0, 2).with_columns(pl.lit("other").alias("_id"))
    assert shared.shared(renamed)["_id"].to_list() == ["other"] * 2
    shared.begin()
    assert held_bytes([one, shared.shared(events(0, 2))]) == 2 * held_bytes([one])
    assert shared.shared(one.clear()).is_empty()


@pytest.mark.parametrize("kept", [(0, 20), (20, 30), (0, 1), (10, 20), (5, 5)])
def test_pieces_of_which_a_filter_leaves_nothing_are_put_together(kept: tuple[int, int]) -> None:
    """It leaves pieces without rows, at the end as well, where no row begins."""
    first, behind = kept
    pieces = pl.concat([events(0, 10), events(10, 10), events(20, 10)], rechunk=False)
    wanted = pl.Series([first <= n < behind for n in range(30)])
    shared = SharedEvents()
    assert 0 in pieces.filter(wanted)["_time"].chunk_lengths()
    assert shared.put_together(pieces.filter(wanted)).equals(pieces[first:behind])


def test_long_windows_are_held_in_few_pieces_which_shorter_ones_share() -> None:
    """Whatever each of them has forgotten."""
    shared = SharedEvents()
    long, short, alone = events(0, 0), events(0, 0), events(0, 0)
    for batch in range(320):
        shared.begin()
        new = events(batch * 10, 10)
        long = shared.put_together(pl.concat([long, shared.shared(new)]))
        short = shared.put_together(pl.concat([short, shared.shared(new.clone())])[max(0, short.height - 700) :])
        alone = pl.concat([alone, new])
        assert long.equals(alone)
        assert short.equals(alone[alone.height - short.height :])
    assert long["_time"].n_chunks() < 60
    assert held_bytes([long, short]) < 1.1 * held_bytes([long])
