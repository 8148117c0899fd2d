"""The events of a stream as the store has them, without the log."""

from __future__ import annotations

from pathlib import Path

from kaicep.archive.rewrite import stored_events
from support.archives import NINE, SECOND, SHAPE, STREAM, opened, readings

COLUMNS = ["_time", "_id", "sensorID", "flowrate", "timestamp"]


def test_the_store_gives_what_the_log_has(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(150)})
        assert archive.flush()
        assert archive.store is not None
        found = stored_events(archive.store, SHAPE, None, None)
        logged = archive.log.read(STREAM, columns=COLUMNS)
        assert found.select(COLUMNS).cast(logged.schema).equals(logged)
        assert not any(found["_late"].to_pylist())
        some = stored_events(archive.store, SHAPE, NINE + 61 * SECOND, NINE + 62 * SECOND)
        assert some["_time"].to_pylist() == [NINE + n * SECOND for n in range(60, 120)]


def test_a_store_without_the_stream_has_none(tmp_path: Path) -> None:
    with opened(tmp_path) as archive:
        assert archive.flush()
        assert archive.store is not None
        assert stored_events(archive.store, SHAPE, None, None).num_rows == 0
