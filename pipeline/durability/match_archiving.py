"""What named queries found in a batch, on its way into the archive."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from ...archive import Archive
from ...archive.matches import Provenance
from ..flow import QueryRuntime

__all__ = ["keep_matches"]


def keep_matches(
    archive: Archive, batch: int, matches: Mapping[str, pa.Table], flows: Mapping[str, QueryRuntime], knowledge: str
) -> None:
    """Keep the rows of named queries, durably; another query's rows are nobody's stream.

    Args:
        archive: has the batch's events.
        batch: its number.
        matches: rows by label, as users see them.
        flows: the queries by label.
        knowledge: the version that the batch is judged by.

    Raises:
        ArchiveError: they cannot be written.
    """
    named = [(flows[label].query, rows) for label, rows in matches.items() if rows.num_rows]
    archive.append_matches(batch, [(Provenance.of(q, knowledge), rows) for q, rows in named if q.name is not None])
