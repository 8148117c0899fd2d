"""Rows of documents with contexts, made comparable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["plain", "plain_id"]

_CHANGE = re.compile(r"(?<=event:)(CONTEXTS%28\w+%29/\d{6}).*")


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without what the ids of changes say beside their place among those of one time."""
    return {**row, "_events": {v: list(map(plain_id, run)) for v, run in row["_events"].items()}}


def plain_id(name: str) -> str:
    """The id of an event, of a change without its digest."""
    return _CHANGE.sub(r"\1", name)
