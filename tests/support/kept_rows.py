"""Rows in a project's log of matches, as an engine has left them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
from kaicep.archive import ArchivePlace
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.config import Settings
from kaicep.language.nodes import ValueType

__all__ = ["keep_rows", "numbered_rows", "row_id"]

_NINE = datetime(2026, 1, 1, 9, tzinfo=UTC)
_MOMENT = pa.timestamp("us", "UTC")


def row_id(number: int) -> str:
    """The `_id` of a row."""
    return f"{number:032x}"


def numbered_rows(*numbers: int) -> pa.Table:
    """Rows as queries give them, one for each number, a second apart."""
    times = [_NINE + timedelta(seconds=n) for n in numbers]
    events = [{"e": [f"urn:kaicep:event:air/{n}"]} for n in numbers]
    return pa.table(
        {
            "flow": pa.array([float(n) for n in numbers], pa.float64()),
            "_time": pa.array(times, _MOMENT),
            "_events": pa.array(events, pa.struct([("e", pa.list_(pa.string()))])),
            "_id": pa.array([row_id(n) for n in numbers], pa.string()),
        }
    )


def keep_rows(settings: Settings, batch: int, *numbers: int, query: str = "high", generation: int = 0) -> None:
    """Let a query have rows of a batch."""
    place = ArchivePlace.of(settings)
    place.prepare()
    log = MatchLog(place.logs, generation, locks=place.root)
    provenance = Provenance(query, f"SELECT {query}", "knowledge", {"flow": ValueType.DOUBLE})
    log.append(batch, [(provenance, numbered_rows(*numbers))])
    log.close()
