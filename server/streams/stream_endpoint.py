"""`/streams`: how each fares, what its events are, and the newest of them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ...api.remote import RemoteSchema, RemoteStream
from ...config import Settings
from ..access import may
from ..problem_document import answers
from ..queries import ProjectProcesses
from ..request_parameters import EventLimit, StreamName
from .recent_events import recent_events
from .stream_listing import StreamSummary, listed_streams, require_stream
from .stream_schema import stream_schema

__all__ = ["stream_routes"]

_SUMMARY = {
    "name": "air",
    "class": "ex:Reading",
    "rate": 20.0,
    "lag_s": 1.2,
    "newest": "2026-06-01T08:00:00Z",
    "records": 1200,
    "late": 0,
    "duplicates": 0,
    "dead": 0,
    "unlinked": 0,
    "source": "mqtt: building/+/air of mqtt://localhost:1883",
}
_SCHEMA = {
    "name": "air",
    "class": "ex:Reading",
    "time": "at",
    "attributes": [
        {"name": "flow", "type": "double", "unit": None, "property": "urn:ex:flow", "individual": False},
    ],
    "identity": ["sensor", "at"],
    "lateness": "0s",
    "source": "mqtt: building/+/air of mqtt://localhost:1883",
    "mapping": None,
}
_EVENT = {
    "_id": "urn:kaicep:event:air/s1/1767225602000000",
    "_time": "2026-01-01T00:00:02Z",
    "sensor": "s1",
    "flow": 60.5,
}


def stream_routes(settings: Settings, processes: ProjectProcesses) -> APIRouter:
    """The routes of streams but that which takes events.

    Args:
        settings: of the project.
        processes: that load the project.
    """
    routes = APIRouter(tags=["streams"])

    @routes.get(
        "/streams",
        summary="List the streams",
        dependencies=[may("read")],
        response_model=list[RemoteStream],
        responses=answers(200, "The streams, in the order of the project file.", [_SUMMARY]),
    )
    def streams() -> list[StreamSummary]:
        """Records a second, how far each is behind the clock, and what was not taken."""
        return listed_streams(settings)

    @routes.get(
        "/streams/{name}",
        summary="One stream",
        dependencies=[may("read")],
        response_model=RemoteSchema,
        responses=answers(200, "Its schema, and the mapping report.", _SCHEMA),
    )
    def schema(name: StreamName) -> dict[str, Any]:
        """What its events are; and the mapping report: how those of the archive's last hour go with the model."""
        require_stream(settings, name)
        return processes.ask(stream_schema, name)

    @routes.get(
        "/streams/{name}/events",
        summary="Newest events of a stream",
        dependencies=[may("read")],
        responses=answers(200, "The events.", [_EVENT]),
    )
    def events(name: StreamName, last: EventLimit = 20) -> list[dict[str, Any]]:
        """Those that came last, the oldest of them first; with all that came with them."""
        require_stream(settings, name)
        return recent_events(settings, name, last)

    return routes
