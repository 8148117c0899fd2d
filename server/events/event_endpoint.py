"""`POST /streams/NAME/events`: durable when 202 is said, and known by their identity when they come again."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from ...settings import ServerSettings
from ..access import may
from ..problem_document import PROBLEM_RESPONSES
from ..request_body import read_body
from .event_inbox import EventInbox, EventInboxes
from .posted_records import RECORD_TYPES, json_lines

__all__ = ["event_routes"]

_RECORD = {"sensor": "s1", "at": "2026-01-01T00:00:02Z", "flow": 60.5}
_LINES = '{"sensor": "s1", "at": "2026-01-01T00:00:02Z", "flow": 60.5}\n'
_CSV = "sensor,at,flow\ns1,2026-01-01T00:00:02Z,60.5\n"
_OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": True}
_BODY = {
    "required": True,
    "content": {
        RECORD_TYPES[0]: {"schema": {"anyOf": [_OBJECT, {"type": "array", "items": _OBJECT}]}, "example": [_RECORD]},
        RECORD_TYPES[1]: {"schema": {"type": "string"}, "example": _LINES},
        RECORD_TYPES[3]: {"schema": {"type": "string"}, "example": _CSV},
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
        responses={202: {"content": {"application/json": {"example": {"accepted": 1}}}}, **PROBLEM_RESPONSES},
    )
    async def post_events(name: str, request: Request) -> dict[str, int]:
        """One, many, JSON lines or CSV, all or none of them; durable when this is answered.

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
