"""The data flow goes back to the border of any batch."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.sinks.row_values import rows
from support.station import COUNT, Station, counts


def test_the_end_of_the_streams_is_taken_back(tmp_path: Path, opened: list[Station]) -> None:
    """By the next batch and by the next end, in the same process and in the next: nothing is late, nothing is lost."""
    station = Station(tmp_path, COUNT, archive=False)
    opened.append(station)
    station.deliver(air=[1, 2])
    assert station.flow.rows_at_end() == {"q0": 1}

    def finished() -> list[int]:
        return [row["n"] for row in rows(station.flow.finish().matches["q0"])]

    for _ in range(5):  # more often than snapshots are kept
        assert finished() == [2]
        station.stop()
        station.start()
    assert counts(station.deliver(air=[3])) == []
    assert finished() == [3]
    assert counts(station.deliver(air=[11])) == [3]
    assert finished() == [1]
    assert station.flow.progress.streams["air"].late == 0
