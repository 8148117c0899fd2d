"""`/alarms`: what became of each, and the acknowledgement of one."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool

from ...api.remote import RemoteAlarm
from ...settings import ServerSettings
from ..access import current_client, may
from ..problem_document import answers
from ..request_body import parse_body, read_body
from ..request_parameters import AlarmId, AlarmLimit
from .acknowledgement import Acknowledgements
from .alarm_catalog import AlarmCatalog
from .alarm_form import AlarmForm
from .alarm_history import Alarm

__all__ = ["alarm_routes"]

_ALARM = {
    "id": "6274690b3f3fe073c8e2f68e3cd6daab",
    "set": "alarm",
    "query": "alarms",
    "key": {"room": "B1"},
    "state": "acknowledged",
    "raised": "2026-06-01T08:01:00Z",
    "acknowledged": "2026-06-01T08:25:00Z",
    "who": "Ada",
    "cleared": None,
    "by": None,
}
_EVENT = {"says": "seen", "room": "B1", "at": "2026-06-01T08:25:00Z", "who": "Ada"}


class _Seen(BaseModel):
    """Who has seen an alarm; where tokens are demanded, it is the one whose token it is."""

    model_config = ConfigDict(extra="forbid")

    who: str | None = None


_BODY = {
    "description": "Who has seen it; nothing, where a token says so, or nobody has to.",
    "content": {"application/json": {"schema": _Seen.model_json_schema(), "example": {"who": "Ada"}}},
}


def alarm_routes(catalog: AlarmCatalog, acknowledgements: Acknowledgements, server: ServerSettings) -> APIRouter:
    """The routes of alarms.

    Args:
        catalog: of the alarms.
        acknowledgements: say that one was seen.
        server: what one request may cost.
    """
    routes = APIRouter(tags=["alarms"])

    @routes.get(
        "/alarms",
        summary="What became of alarms",
        dependencies=[may("read")],
        response_model=list[RemoteAlarm],
        responses=answers(200, "The alarms.", [_ALARM]),
    )
    def alarms(limit: AlarmLimit = 100) -> list[dict[str, Any]]:
        """Those that nobody has seen first, then those that somebody has, then those that are over.

        Alarms are contexts called `raised` and `seen`, whose changes a named query tells. `by` is the stream whose
        event acknowledges it; null: it needs no acknowledgement any more, or no event does that.
        """
        return [_told(form, alarm) for form, alarm in catalog.alarms()[:limit]]

    @routes.post(
        "/alarms/{alarm}/acknowledge",
        status_code=202,
        summary="Say that an alarm was seen",
        dependencies=[may("submit")],
        openapi_extra={"requestBody": _BODY},
        responses=answers(202, "The event that was posted.", _EVENT),
    )
    async def acknowledge(alarm: AlarmId, request: Request) -> dict[str, Any]:
        """Post the event that its query waits for, durable when this is answered; the answer is that event.

        The alarm is acknowledged as soon as the engine has read it, with one of its next batches.
        """
        body = await read_body(request, server.body_size, server.body_timeout)
        seen = parse_body(_Seen, body, 'send {"who": "…"}, or nothing') if body.strip() else _Seen()
        return await run_in_threadpool(post, alarm, current_client.get().token or seen.who)

    def post(alarm: str, who: str | None) -> dict[str, Any]:
        form, found = catalog.alarm(alarm)
        return acknowledgements.post(form, found, who)

    return routes


def _told(form: AlarmForm, alarm: Alarm) -> dict[str, Any]:
    by = form.seen.stream if form.seen is not None and alarm.state == "raised" else None
    return {
        "id": alarm.id,
        "set": alarm.set,
        "query": alarm.query,
        "key": alarm.key,
        "state": alarm.state,
        "raised": alarm.raised,
        "acknowledged": alarm.acknowledged,
        "who": alarm.who,
        "cleared": alarm.cleared,
        "by": by,
    }
