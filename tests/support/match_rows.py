"""Matches of a query, as sinks get them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa

__all__ = ["START", "matches"]

START = datetime(2026, 1, 1, tzinfo=UTC)
MOMENT = pa.timestamp("us", "UTC")


def matches(*values: float | None) -> pa.Table:
    """A row per value, half a second apart."""
    times = [START + timedelta(milliseconds=500 * i) for i in range(len(values))]
    window = pa.struct([("start", MOMENT), ("end", MOMENT)])
    return pa.table(
        {
            "rate": pa.array(values, pa.float64()),
            "seen": pa.array([[time] for time in times], pa.list_(MOMENT)),
            "_time": pa.array(times, MOMENT),
            "_events": pa.array([{"e": ["urn:a"]} for _ in values], pa.struct([("e", pa.list_(pa.string()))])),
            "_window": pa.array([{"start": START, "end": time} for time in times], window),
            "_id": pa.array([f"{i:032x}" for i in range(len(values))], pa.string()),
        }
    )
