"""Matches to archive, and what they come from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa
from kaicep.archive import Archive
from kaicep.archive.matches import Provenance
from kaicep.language.nodes.types import ValueType

from .archives import NINE, SECOND, STREAM, TIME, readings, rows

QUERY = "pairs"
TYPES = {"flow": ValueType.DOUBLE, "note": ValueType.STRING, "room": ValueType.IRI, "lasts": ValueType.DURATION}
ORIGIN = Provenance(QUERY, "CREATE QUERY pairs AS SELECT …", "v1", TYPES)
COUNT_MATCHES = "SELECT (COUNT(?m) AS ?n) { ?m a kaicep:Match }"
EVENTS_OF_A_MATCH = """
SELECT ?event ?flow {
  ?match kaicep:attribute:pairs:flow 1.5e0 ; prov:wasDerivedFrom ?event . ?event e:flow ?flow
} ORDER BY ?event
"""
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


def fill_with_matches(archive: Archive, batches: range = range(3), each: int = 40) -> None:
    """Append batches of readings, each with its matches."""
    for batch in batches:
        numbers = range(batch * each, (batch + 1) * each)
        archive.append(batch, {STREAM: readings(each, first=numbers[0])})
        archive.append_matches(batch, [(ORIGIN, matches(numbers))])


def flushed_rows(archive: Archive, text: str) -> list[tuple[object, ...]]:
    """What a SELECT finds once the store has all of the log."""
    assert archive.flush()
    return rows(archive, text)
