"""What a server answers about rows, as values: why there is one, and what a chart draws; its OpenAPI has them too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

__all__ = ["RemoteChart", "RemoteEvent", "RemoteMark", "RemoteReasons", "RemoteSeries"]


@dataclass(frozen=True, slots=True)
class RemoteEvent:
    """An event of a row.

    Attributes:
        id: IRI.
        stream: of the event.
        time: stamp; `None`: it is not known, as of changes of contexts.
        attributes: by name; times are ISO 8601.
        variable: of the query that it stands for.
    """

    id: str
    stream: str
    time: datetime | None
    attributes: Mapping[str, Any]
    variable: str


@dataclass(frozen=True, slots=True)
class RemoteReasons:
    """Why there is a row.

    Attributes:
        match: the row.
        events: in order of time.
        reasons: a tree for each of the first 20, as `kaicep why --format json` has it.
        contexts: the windows that the row lies in; `None`: its query asks for none.
        notes: what cannot be explained, and why.
    """

    match: Mapping[str, Any]
    events: tuple[RemoteEvent, ...]
    reasons: tuple[Mapping[str, Any], ...]
    contexts: Mapping[str, Any] | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemoteSeries:
    """A line of a chart: its name, its unit, and pairs of time and value."""

    name: str
    unit: str | None
    points: tuple[tuple[datetime, float | None], ...]


@dataclass(frozen=True, slots=True)
class RemoteMark:
    """A row on a chart: its `_id`, and when it was."""

    id: str
    time: datetime


@dataclass(frozen=True, slots=True)
class RemoteChart:
    """What a chart of a query draws.

    Attributes:
        series: values that it compares, by what they are of, thinned.
        threshold: that it compares them with.
        matches: the newest 2,000 rows as marks.
        start: of the time; `from` in JSON.
        end: of it; `None`: the newest event; `to` in JSON.
    """

    series: tuple[RemoteSeries, ...]
    threshold: tuple[float, ...]
    matches: tuple[RemoteMark, ...]
    start: Annotated[datetime, Field(alias="from")]
    end: Annotated[datetime | None, Field(alias="to")]
