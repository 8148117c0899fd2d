"""Events in order of time that need not fit into memory."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.annotator import AnnotatedBatch
from kaicep.commands.trials import external_sort
from kaicep.commands.trials.external_sort import in_order_of_time

TIME = pa.timestamp("us", tz="UTC")
Piece = list[tuple[int, str]]


def batch(piece: Piece, names: dict[str, int] | None = None) -> AnnotatedBatch:
    """Events of these seconds and sensors, by time as an annotator gives them."""
    ordered = sorted(piece, key=lambda event: event[0])
    table = pa.table(
        {
            "_time": pa.array([second * 1_000_000 for second, _ in ordered], pa.int64()).cast(TIME),
            "sensor": pa.array([sensor for _, sensor in ordered], pa.string()).dictionary_encode(),
        }
    )
    return AnnotatedBatch(table, pa.table({"row": [7], "reason": ["no time stamp"]}), 2, names)


def events(found: list[AnnotatedBatch]) -> Piece:
    return [
        (int(row["_time"].timestamp()), row["sensor"]) for one in found for row in one.events.to_pylist()
    ]  # in the order in which they are given


pieces_of_events = st.lists(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), max_size=12), max_size=8)


@given(pieces_of_events, st.integers(1, 9), st.integers(1, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_events_come_by_time_and_those_of_one_time_as_they_arrived(
    monkeypatch: pytest.MonkeyPatch, pieces: list[Piece], run: int, block: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(external_sort, "_ROWS", run)
        patch.setattr(external_sort, "_BLOCK", block)
        found = list(in_order_of_time(batch(piece) for piece in pieces))
    arrived = [event for piece in pieces for event in sorted(piece, key=lambda event: event[0])]
    assert events(found) == sorted(arrived, key=lambda event: event[0])
    assert sum(one.unlinked for one in found) == 2 * len(pieces)
    assert sum(one.rejected.num_rows for one in found) == len(pieces)


def test_what_is_said_of_names_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external_sort, "_ROWS", 3)
    pieces = [batch([(n, "a"), (n + 5, "b")], {"t": 2, "s": n}) for n in range(5)]
    first, *others = in_order_of_time(pieces)
    assert first.names == {"t": 10, "s": 10}
    assert all(one.names is None for one in others)
    assert len(others) > 1


def test_larger_recordings_lie_in_files_that_go_with_the_last_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with whoever stops before it."""

    def sorted_pieces(rows: int) -> Generator[AnnotatedBatch]:
        monkeypatch.setattr(external_sort, "_ROWS", rows)
        return in_order_of_time(batch([(n, "a"), (9 - n, "b")]) for n in range(9))

    monkeypatch.setattr(external_sort, "TemporaryDirectory", lambda prefix: TemporaryDirectory(prefix, dir=tmp_path))
    going = sorted_pieces(4)
    next(going)
    (folder,) = tmp_path.iterdir()
    assert len(list(folder.iterdir())) == 4
    going.close()
    assert list(tmp_path.iterdir()) == []
    assert len(list(sorted_pieces(100))) == 1
    assert list(tmp_path.iterdir()) == []
