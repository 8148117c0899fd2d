"""What a server answers about streams, contexts and alarms, as values; its OpenAPI describes them by these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

__all__ = [
    "RemoteAlarm",
    "RemoteAttribute",
    "RemoteContext",
    "RemoteContextSet",
    "RemoteSchema",
    "RemoteStream",
    "RemoteWindow",
]


@dataclass(frozen=True, slots=True)
class RemoteStream:
    """How a stream fares.

    Attributes:
        name: of the stream.
        event_type: the class of its events; `class` in JSON.
        rate: records a second, lately.
        lag: seconds behind the clock; `None`: nothing has come; `lag_s` in JSON.
        newest: time stamp.
        records: over restarts, like all counts.
        late: beyond the stream's lateness.
        duplicates: known by their identity.
        dead: that were no events of the stream.
        unlinked: whose values stood for no individual.
        source: where they come from, in words.
    """

    name: str
    event_type: Annotated[str | None, Field(alias="class")]
    rate: float
    lag: Annotated[float | None, Field(alias="lag_s")]
    newest: datetime | None
    records: int
    late: int
    duplicates: int
    dead: int
    unlinked: int
    source: str


@dataclass(frozen=True, slots=True)
class RemoteAttribute:
    """An attribute of a stream: its type, its unit, the property that it is, and whether it names an individual."""

    name: str
    type: str
    unit: str | None
    property: str | None
    individual: bool


@dataclass(frozen=True, slots=True)
class RemoteSchema:
    """What the events of a stream are.

    Attributes:
        name: of the stream.
        event_type: the class of its events; `class` in JSON.
        time: the attribute that has the time stamp.
        attributes: in order.
        identity: the attributes that tell events apart.
        lateness: how long it waits for late events, such as `10s`.
        source: where they come from, in words.
        mapping: the mapping report over the last hour of the archive; `None`: it has no events.
    """

    name: str
    event_type: Annotated[str | None, Field(alias="class")]
    time: str | None
    attributes: tuple[RemoteAttribute, ...]
    identity: tuple[str, ...]
    lateness: str
    source: str
    mapping: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RemoteContext:
    """A context of a set, and whether it holds where no other one does."""

    name: str
    default: bool


@dataclass(frozen=True, slots=True)
class RemoteWindow:
    """When a context held.

    Attributes:
        context: its name.
        key: the partition, by the names of the keys.
        start: when it began, maybe before the time that was asked for; `None`: it always held; `from` in JSON.
        end: when it was over; `None`: it holds; `to` in JSON.
    """

    context: str
    key: Mapping[str, Any]
    start: Annotated[datetime | None, Field(alias="from")]
    end: Annotated[datetime | None, Field(alias="to")]


@dataclass(frozen=True, slots=True)
class RemoteContextSet:
    """A set of contexts, and when each context held lately.

    Attributes:
        set: its name.
        contexts: those of it.
        key: the names of its keys.
        start: of the time that was asked for; `None`: there is no event; `from` in JSON.
        end: of that time, the newest event; `None` likewise; `to` in JSON.
        windows: that hold at some moment of it.
    """

    set: str
    contexts: tuple[RemoteContext, ...]
    key: tuple[str, ...]
    start: Annotated[datetime | None, Field(alias="from")]
    end: Annotated[datetime | None, Field(alias="to")]
    windows: tuple[RemoteWindow, ...]


@dataclass(frozen=True, slots=True)
class RemoteAlarm:
    """An alarm of one partition.

    Attributes:
        id: that it is acknowledged by.
        set: the contexts that it is of.
        query: whose rows tell of it.
        key: the partition, by the names of the keys.
        state: whether somebody has to see it, somebody has, or it is over.
        raised: when; `None`: before what is known.
        acknowledged: when somebody said so.
        who: that was.
        cleared: when it was over.
        by: the stream whose event acknowledges it; `None`: none does, or it needs none any more.
    """

    id: str
    set: str
    query: str
    key: Mapping[str, Any]
    state: Literal["raised", "acknowledged", "cleared"]
    raised: datetime | None
    acknowledged: datetime | None
    who: str | None
    cleared: datetime | None
    by: str | None
