"""Event tables to archive."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)
TIME = pa.timestamp("us", tz="UTC")

EventTable = Callable[..., pa.Table]


@pytest.fixture
def events() -> EventTable:
    """Give `events(count, first=0)`: readings one second apart, of sensors s0 to s3, numbered from `first`."""

    def build(count: int, first: int = 0) -> pa.Table:
        numbers = range(first, first + count)
        times = [NINE + timedelta(seconds=n) for n in numbers]
        return pa.table(
            {
                "_time": pa.array(times, TIME),
                "_id": pa.array([f"urn:kaicep:event:airflowReport/s{n % 4}/{n}" for n in numbers], pa.string()),
                "sensorID": pa.array([f"s{n % 4}" for n in numbers], pa.string()).dictionary_encode(),
                "flowrate": pa.array([n / 2 for n in numbers], pa.float64()),
                "timestamp": pa.array(times, TIME),
                "_extra": pa.nulls(count, pa.string()),
            }
        )

    return build
