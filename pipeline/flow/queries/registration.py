"""A query as it was registered, and how a snapshot of its state says which registration it is of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from ....language.nodes import COMPANION, Query

__all__ = ["Registration", "Withdrawal", "continues", "state_head", "without_head"]

_SIZE = 4


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


def state_head(query: Query, now: datetime | None) -> bytes:
    """What stands before the state of a query: of which one it is, and when that was registered."""
    head = json.dumps({"query": _identity(query), "now": None if now is None else now.isoformat()}).encode()
    return len(head).to_bytes(_SIZE, "big") + head


def without_head(state: bytes) -> bytes:
    """The state of a query alone."""
    return state[_SIZE + _length(state) :]


def continues(state: bytes, registration: Registration) -> Registration | None:
    """The registration that a flow's snapshot holds, if it is of the same query; else `None`."""
    head = json.loads(state[_SIZE : _SIZE + _length(state)])
    if head["query"] != _identity(registration.query) or head.get("failure") is not None:
        return None  # earlier versions kept no state of what had failed
    now = None if head["now"] is None else datetime.fromisoformat(head["now"])
    if now != registration.now and (registration.now is not None or registration.withdrawal is not None):
        return None  # it was registered once more since, or before
    return replace(registration, now=now)


def _length(state: bytes) -> int:
    return int.from_bytes(state[:_SIZE], "big")


def _identity(query: Query) -> str:
    """What the state of a query is of: earlier versions kept no doubles beside integers of other queries' rows."""
    doubles = [f"?{s.variable}.{name}" for s in query.sources for name in s.columns if name.endswith(COMPANION)]
    return " ".join([query.normal, *doubles])
