"""A query as it was registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from ....language.nodes import Query

__all__ = ["Registration", "Withdrawal"]


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """When a query was withdrawn that has changed contexts, or that such a one reads; it goes on in the past alone.

    Attributes:
        label: what it was called; since then its registration has a label that no other one gets.
        batch: the first that it was not answered for.
        until: its changes before that moment count, and no others; `None`: those of all the batches before.
        place: how many queries were registered before it and had not been withdrawn.
        since: its changes before that counted for nothing; see `QueryGraph.changed_since`.
        sets: by name, when the sets of contexts that it speaks of were registered.
    """

    label: str
    batch: int
    until: datetime | None
    place: int
    since: datetime | None = None
    sets: Mapping[str, datetime | None] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Registration:
    """A query and the moment at which it was registered.

    Attributes:
        query: the checked query.
        label: what it is called where people read of it: its name, else its file or `query`.
        now: the greatest time stamp that its streams had delivered; `None` before their first event.
        withdrawal: when it was withdrawn; `None`: it was not.
        watched: whether its state is asked for.
    """

    query: Query
    label: str
    now: datetime | None = None
    withdrawal: Withdrawal | None = None
    watched: bool = False
