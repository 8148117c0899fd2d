"""Windows of an archive's SPARQL become rows as those of operators do."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from kaicep.cep.windows.external_windows import HELD, LAST, WINDOW, adopted_windows
from support.frames import frame_at
from support.operators import compiled

SUM = "SELECT SUM(?e.n) AS s FROM (?e, readings) WINDOW (?e, {}) GROUP BY ?e.sensor"


def held_by(windows: Sequence[int], last: str | None, sensors: str) -> dict[str, pl.Series]:
    """The columns of candidates of windows that are reported one after the other."""
    lower, upper, reported = HELD
    size = len(windows)
    numbers = {WINDOW: list(windows), lower: [0] * size, upper: [5] * size, reported: [5 + w for w in windows]}
    columns = {name: pl.Series(values) for name, values in numbers.items()}
    texts = {LAST: pl.Series([last] * size, dtype=pl.String), "sensor": pl.Series(list(sensors))}
    return {**columns, **texts, "n": pl.Series(range(1, size + 1))}


def test_a_match_for_each_window_and_group_in_the_order_of_their_reports() -> None:
    frame = frame_at([4, 2, 1, 3], ["s", "q", "p", "r"]).with_columns(**held_by([1, 0, 0, 0], None, "aaab"))
    matches = adopted_windows(compiled(SUM.format("batch, 5s")), frame)
    assert matches is not None
    assert matches.frame["#0"].to_list() == [5, 4, 1], "a window's groups by their last events"
    assert matches.time.tolist() == [5, 5, 6]


def test_a_sliding_window_is_that_of_its_events_group() -> None:
    frame = frame_at([1, 2, 3], ["p", "q", "r"]).with_columns(**held_by([0, 0, 0], "r", "aba"))
    matches = adopted_windows(compiled(SUM.format("sliding, 5s")), frame)
    assert matches is not None
    assert matches.frame["#0"].to_list() == [4]


def test_without_windows_there_are_no_matches() -> None:
    frame = frame_at([1, 2], ["p", "q"]).with_columns(**held_by([0, 0], "p", "aa")).clear()
    assert adopted_windows(compiled(SUM.format("sliding, 5s")), frame) is None
