"""How far the records of a split go, for whoever has to know before they are judged."""

from __future__ import annotations

from datetime import datetime

import pyarrow.compute as pc

from ...storage import SharedFolder
from ..sharding import HostedQueries, Split, read_split

__all__ = ["newest_part"]


def newest_part(queries: HostedQueries, split: Split, folder: SharedFolder, name: str) -> datetime | None:
    """Read a split, and return its greatest time stamp; `None`: it has no event.

    Args:
        queries: compiled; nothing is asked of them.
        split: the records.
        folder: which all executors reach.
        name: of nothing that is written.

    Raises:
        KaicepError: the records cannot be read.
    """
    del name
    _, annotated = read_split(queries.plan.catalog, split, folder)
    moment: datetime | None = pc.max(annotated.events["_time"]).as_py()
    return moment
