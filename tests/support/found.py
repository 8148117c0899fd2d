"""Matches to archive, and what they come from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa
from kaicep.archive.matches import Provenance
from kaicep.language.nodes.types import ValueType

from .archives import NINE, SECOND, STREAM, TIME

QUERY = "pairs"
TYPES = {"flow": ValueType.DOUBLE, "note": ValueType.STRING, "room": ValueType.IRI, "lasts": ValueType.DURATION}
ORIGIN = Provenance(QUERY, "CREATE QUERY pairs AS SELECT …", "v1", TYPES)
EVENTS = pa.struct([pa.field(name, pa.list_(pa.string())) for name in ("a", "b")])


def event(number: int) -> str:
    """The id of one of `archives.readings`."""
    return f"urn:kaicep:event:{STREAM}/s{number % 4}/{number}"


def matches(numbers: Sequence[int]) -> pa.Table:
    """Rows of a query, one a second: each of the reading of that number and the one before."""
    events = [{"a": [event(n - 1)] if n else [], "b": [event(n)]} for n in numbers]
    return pa.table(
        {
            "flow": pa.array([n / 2 for n in numbers], pa.float64()),
            "note": pa.array([f'"{n}" \\ \n' if n % 2 else None for n in numbers], pa.string_view()),
            "room": pa.array([f"http://e/Room{n % 2}" for n in numbers], pa.large_string()),
            "lasts": pa.array([timedelta(milliseconds=-1500 * n) for n in numbers], pa.duration("us")),
            "_time": pa.array([NINE + n * SECOND for n in numbers], TIME),
            "_events": pa.array(events, EVENTS),
            "_id": pa.array([f"{n:032x}" for n in numbers], pa.string()),
        }
    )
