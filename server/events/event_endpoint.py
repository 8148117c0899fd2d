"""`POST /streams/NAME/events`: durable when 202 is said, and known by their identity when they come again."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from ...settings import ServerSettings
from ..access import may
from ..problem_document import answers
from ..request_body import read_body
from ..request_parameters import StreamName
from .event_inbox import EventInbox, EventInboxes
from .posted_records import json_lines

__all__ = ["event_routes"]

_RECORD = {"sensor": "s1", "at": "2026-01-01T00:00:02Z", "flow": 60.5}
_LINES = '{"sensor": "s1", "at": "2026-01-01T00:00:02Z", "flow": 60.5}\n'
_CSV = "sensor,at,flow\ns1,2026-01-01T00:00:02Z,60.5\n"
_PACK = [{"bn": "urn:dev:mac:0024befffe804ff1", "bt": 1.767225602e9, "n": "flow", "u": "l/s", "v": 60.5}]
_OBSERVATION = {"@type": "sosa:Observation", "sosa:resultTime": "2026-01-01T00:00:02Z", "sosa:hasSimpleResult": 60.5}
_OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": True}
_OBJECTS: dict[str, Any] = {"anyOf": [_OBJECT, {"type": "array", "items": _OBJECT}]}
_EXAMPLES: tuple[tuple[str, Any], ...] = (
    ("application/json", [_RECORD]),
    ("application/x-ndjson", _LINES),
    ("application/jsonl", _LINES),
    ("text/csv", _CSV),
    ("application/senml+json", _PACK),
    ("application/ld+json", _OBSERVATION),
)
_BODY = {
    "description": "Events, in one of these forms.",
    "required": True,
    "content": {
        media: {"schema": {"type": "string"} if isinstance(example, str) else _OBJECTS, "example": example}
        for media, example in _EXAMPLES
    },
}


def event_routes(inboxes: EventInboxes, server: ServerSettings) -> APIRouter:
    """The inboxes of a project's streams, and the limits of requests."""
    routes = APIRouter(tags=["streams"])

    @routes.post(
        "/streams/{name}/events",
        status_code=202,
        summary="Post events to a stream",
        dependencies=[may("submit")],
        openapi_extra={"requestBody": _BODY},
        responses=answers(202, "How many there were.", {"accepted": 1}),
    )
    async def post_events(name: StreamName, request: Request) -> dict[str, int]:
        """One, many, JSON lines or CSV, all or none of them; durable when this is answered.

        Streams with a `payload` take its documents instead: SenML, JSON-LD, or any of them as JSON; no CSV.

        What comes again is known by its identity, so what was not acknowledged may be sent once more. Where so much
        waits that the engine is behind, 429 says when to come again.
        """
        inbox = inboxes.of(name)
        body = await read_body(request, server.body_size, server.body_timeout)
        return {"accepted": await run_in_threadpool(put, inbox, request.headers.get("Content-Type"), body)}

    def put(inbox: EventInbox, content_type: str | None, body: bytes) -> int:
        records = json_lines(content_type, body, documents=inbox.documents)
        if records:
            inbox.put(records)
        return len(records)

    return routes
