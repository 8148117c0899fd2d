"""`/queries/{label}/matches`, `/rows` and `/live`: rows of the durable log, behind a place, and as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, cast

import orjson
from fastapi import APIRouter, Depends, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from ...config import Settings
from ...errors import ArchiveError, PipelineError
from ..access import AccessControl, may
from ..problem import ProblemError
from ..problem_document import PROBLEM_RESPONSES, answers
from ..queries import QueryCatalog
from ..request_parameters import BehindPlace, LastEventHeader, LastEventId, NewestRows, QueryLabel, RowLimit
from .match_page import MatchPage, match_page
from .match_reader import MatchReader
from .row_cursor import RowCursor
from .row_feeds import LiveRow, RowFeed, RowFeeds

__all__ = ["row_routes"]

_ROW = {
    "sensor": "urn:ex:s1",
    "flow": 60.5,
    "_time": "2026-01-01T00:00:02Z",
    "_events": {"e": ["urn:kaicep:event:air/s1/1767225602000000"]},
    "_id": "5a1b6b4d2b6c4f0e8d3f6d2a1c9e7b58",
}
_PAGE = MatchPage(("sensor", "flow", "_time", "_events", "_id"), (_ROW,), "1-0-0")
_MATCHES = answers(200, "The rows, and the place behind them.", _PAGE, MatchPage)
_EVENT = f"id: 1-0-0\nevent: row\ndata: {orjson.dumps(_ROW).decode()}\n\n"
_ROWS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "An event for each row, whose id is its place; a comment now and then.",
        "content": {"text/event-stream": {"example": _EVENT}},
    },
    **PROBLEM_RESPONSES,
}
_HELLO_S = 10.0
_PING_S = 15.0
_UNBUFFERED = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""Of proxies as well."""
_POLICY = 1008
_GOING_AWAY = 1001


def row_routes(settings: Settings, catalog: QueryCatalog, feeds: RowFeeds) -> APIRouter:
    """The rows of queries.

    Args:
        settings: of the project.
        catalog: of the registered queries.
        feeds: of those who wait for rows.
    """
    routes, reader = APIRouter(tags=["queries"]), MatchReader(settings)

    def kept(label: QueryLabel) -> str:
        """A query whose rows are kept."""
        if not (settings.archive.enabled and settings.archive.matches):
            off = ArchiveError("the rows are not kept", hint="set enabled and matches under [archive]")
            raise ProblemError(409, off)
        if label not in reader.queries():
            found = catalog.query(label)
            if not found.named and found.text is not None:
                why = f"a {found.kind} has no rows" if found.kind == "rule" else f"rows of '{label}' are not kept"
                hint = "only named queries have rows here: CREATE QUERY … AS SELECT …"
                raise ProblemError(409, PipelineError(why, hint=hint))
        return label

    @routes.get(
        "/queries/{label}/matches",
        summary="Rows of a query",
        dependencies=[may("read")],
        responses=_MATCHES,
    )
    def matches(
        query: str = Depends(kept),
        after: BehindPlace = None,
        limit: RowLimit = 1_000,
        last: NewestRows = None,
    ) -> MatchPage:
        """The oldest first; `after` is `next` of the answer before, or the `_id` of a row. `last`: the newest so many.

        Rows stay, also when the query is withdrawn, as long as the archive keeps them.
        """
        return match_page(reader, query, after, limit, last)

    def began(header: LastEventHeader = None, last_event_id: LastEventId = None) -> tuple[bool, RowCursor | None]:
        """Whether a client says what it has had, and what that is."""
        said = header or last_event_id
        return said is not None, RowCursor.parse(said)

    @routes.get(
        "/queries/{label}/rows",
        summary="Rows of a query as they come",
        dependencies=[may("read")],
        response_class=StreamingResponse,
        responses=_ROWS,
    )
    async def rows(
        query: str = Depends(kept), place: tuple[bool, RowCursor | None] = Depends(began)
    ) -> StreamingResponse:
        """Server-sent events of the rows that are new; behind `Last-Event-ID` those that were missed come first.

        A row is sent when it is durable. Who comes again with the last id misses none, and has none twice; 0 is before
        the first row.
        """
        return _RowEvents(_events(feeds, query, *place), headers=_UNBUFFERED)

    @routes.websocket("/queries/{label}/live")
    async def live(websocket: WebSocket, label: str) -> None:
        """The same over WebSocket: messages {"id": …, "row": {…}}.

        The first message of the client may say {"last_event_id": …, "token": …}; after ten seconds without one it
        begins with the next row.
        """
        await websocket.accept()
        try:
            hello = await _hello(websocket)
            _check(websocket, hello)
            query = await run_in_threadpool(kept, label)
            said = hello.get("last_event_id")
            cursor = RowCursor.parse(None if said is None else str(said))
        except ProblemError as problem:
            await _refuse(websocket, problem)
            return
        except WebSocketDisconnect:
            return
        async with feeds.feed(query) as feed:
            await _send(websocket, feed, feed.end if said is None else await feed.reached(cursor))

    return routes


class _RowEvents(StreamingResponse):
    """Server-sent events, which end when the client goes; of FastAPI's own the log is full then."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        async with aclosing(cast("AsyncGenerator[bytes]", self.body_iterator)):
            await super().__call__(scope, receive, send)


async def _events(feeds: RowFeeds, query: str, known: bool, cursor: RowCursor | None) -> AsyncGenerator[bytes]:  # noqa: FBT001
    """The rows behind a place, or from now on; a comment where there are none for a while."""
    async with feeds.feed(query) as feed:
        cursor = await feed.reached(cursor) if known else feed.end
        yield format_sse_event(id=str(cursor or RowCursor.BEGIN), comment="rows follow")
        while True:
            try:
                async with asyncio.timeout(_PING_S):
                    found = await feed.after(cursor)
            except TimeoutError:
                yield format_sse_event(comment="ping")
                continue
            except ArchiveError:
                return
            if not found:
                return
            # At once: each write to a client that has gone would be a line of the log.
            yield b"".join(row.event for row in found)
            cursor = found[-1].cursor


async def _following(feed: RowFeed, cursor: RowCursor | None) -> AsyncIterator[LiveRow]:
    """Rows behind a place, until the feed ends or the log cannot be read: then the client comes again."""
    with suppress(ArchiveError):
        while rows := await feed.after(cursor):
            for row in rows:
                yield row
            cursor = rows[-1].cursor


async def _hello(websocket: WebSocket) -> dict[str, Any]:
    """What a client says first.

    Raises:
        ProblemError: it is no JSON object.
    """
    try:
        async with asyncio.timeout(_HELLO_S):
            found = orjson.loads(await websocket.receive_text())
    except TimeoutError:
        return {}
    except (orjson.JSONDecodeError, KeyError) as error:
        raise ProblemError(400, "the first message is no JSON", 'send {"last_event_id": …}, or {}') from error
    if not isinstance(found, dict):
        raise ProblemError(400, "the first message is no object", 'send {"last_event_id": …}, or {}')
    return found


def _check(websocket: WebSocket, hello: dict[str, Any]) -> None:
    """A browser sets no headers here: its page sends the token in the first message."""
    access: AccessControl = websocket.app.state.access
    token = hello.get("token")
    access.check("read", websocket.headers.get("Authorization") if token is None else f"Bearer {token}")


async def _send(websocket: WebSocket, feed: RowFeed, cursor: RowCursor | None) -> None:
    """Send rows until the client goes, or the feed ends."""
    sending = asyncio.create_task(_send_all(websocket, feed, cursor))
    try:
        while True:  # what it says now has no meaning; that it goes has
            receiving = asyncio.create_task(websocket.receive())
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                receiving.cancel()
                await websocket.close(_GOING_AWAY)
                return
            if receiving.result()["type"] == "websocket.disconnect":
                return
    finally:
        sending.cancel()


async def _send_all(websocket: WebSocket, feed: RowFeed, cursor: RowCursor | None) -> None:
    async for row in _following(feed, cursor):
        await websocket.send_text(f'{{"id":"{row.cursor}","row":{row.text}}}')


async def _refuse(websocket: WebSocket, problem: ProblemError) -> None:
    said = {"status": problem.status, "detail": problem.error.message, "hint": problem.error.hint}
    await websocket.send_text(orjson.dumps({"problem": said}).decode())
    await websocket.close(_POLICY)
