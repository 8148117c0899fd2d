"""A query as it was registered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ....language.nodes import Query

__all__ = ["Registration"]


@dataclass(frozen=True, slots=True)
class Registration:
    """A query and the moment at which it was registered.

    Attributes:
        query: the checked query.
        label: what it is called where people read of it: its name, else its file or `query`.
        now: the greatest time stamp that its streams had delivered; `None` before their first event.
    """

    query: Query
    label: str
    now: datetime | None = None
