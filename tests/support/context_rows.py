"""Rows of documents with contexts, made comparable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["plain"]

_CHANGE = re.compile(r"(?<=event:)(CONTEXTS%28\w+%29/\d{6}).*")


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without what the ids of changes say beside their place among those of one time."""
    events = {v: [_CHANGE.sub(r"\1", name) for name in run] for v, run in row["_events"].items()}
    return {**row, "_events": events}
