"""Candidates are found among all events, and neighbours within a partition, as a search row by row finds them."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from kaicep.cep.order.lead_lag import neighbours, rows_among
from kaicep.expressions.frames import moments

_SEEDS = range(20)


def events_of(*places: tuple[int, str]) -> pl.DataFrame:
    times, ids = ([place[i] for place in places] for i in range(2))
    return pl.DataFrame({"_time": moments(np.array(times, dtype=np.int64)), "_id": pl.Series(ids, dtype=pl.String)})


@pytest.mark.parametrize("seed", _SEEDS)
def test_candidates_are_found_among_events_of_one_time(seed: int) -> None:
    """Ids tell apart what has one time stamp; a candidate may stand several times."""
    source = random.Random(seed)
    every = sorted((source.randrange(5), f"{i:02}") for i in range(source.randint(1, 12)))
    rows = sorted(source.choices(range(len(every)), k=source.randint(0, 12)))
    found = rows_among(events_of(*every), events_of(*(every[row] for row in rows)))
    assert found is not None
    assert found.tolist() == rows


@pytest.mark.parametrize("candidate", [(1, "b"), (2, "a"), (0, "a"), (3, "c")])
def test_what_is_none_of_the_events_is_not_found(candidate: tuple[int, str]) -> None:
    assert rows_among(events_of((1, "a"), (2, "b"), (2, "c")), events_of(candidate)) is None


def test_nothing_is_found_among_no_events() -> None:
    found = rows_among(events_of(), events_of())
    assert found is not None
    assert not len(found)
    assert rows_among(events_of(), events_of((1, "a"))) is None


@pytest.mark.parametrize("seed", _SEEDS)
def test_neighbours_are_the_nearest_rows_of_the_same_code(seed: int) -> None:
    source = random.Random(seed)
    codes = [source.choice((0, 1, 2, 70_000)) for _ in range(source.randint(1, 12))]
    asked = [row for row in range(len(codes)) if source.random() < 0.5]
    before, after, last = neighbours(np.array(codes), np.array(asked, dtype=np.int64))
    alike = {row: [other for other, code in enumerate(codes) if code == codes[row]] for row in range(len(codes))}
    assert before.tolist() == [max((o for o in alike[row] if o < row), default=-1) for row in asked]
    assert after.tolist() == [min((o for o in alike[row] if o > row), default=-1) for row in asked]
    assert last.tolist() == [row for row in alike if alike[row][-1] == row]
