"""Rows as they come: one look at the log for all who wait for rows of a query."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile

import orjson
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from ...config import Settings
from ...errors import ArchiveError
from ...storage import is_bucket_url
from .match_reader import MatchReader, MatchRow
from .row_cursor import RowCursor

__all__ = ["LiveRow", "RowFeed", "RowFeeds"]

_LOOK_S, _LOOK_AT_BUCKET_S = 0.1, 2.0
_AT_ONCE = 500
_KEPT = 2_000
"""So many of the newest rows are in memory for those who wait; who is further behind reads the log."""


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A row as it is sent, made once for all who read it.

    Attributes:
        cursor: its place.
        text: as JSON.
        event: as a server-sent event.
    """

    cursor: RowCursor
    text: str
    event: bytes


@dataclass(slots=True)
class RowFeed:
    """The rows of one query as they come; all that is here is done on the event loop.

    Attributes:
        query: its name.
        reader: of the log.
        pause: seconds between two looks.
        begin: everything in `newest` is behind this place; `None`: before the first row.
        newest: the last rows.
        ended: no more rows are given.
    """

    query: str
    reader: MatchReader
    pause: float
    begin: RowCursor | None = None
    newest: deque[LiveRow] = field(default_factory=deque)
    ended: bool = False
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def end(self) -> RowCursor | None:
        """The place of the last row that is known."""
        return self.newest[-1].cursor if self.newest else self.begin

    async def after(self, cursor: RowCursor | None) -> list[LiveRow]:
        """The next rows behind a place, as soon as there are some; none: the feed has ended.

        Raises:
            ArchiveError: the log cannot be read.
        """
        while not self.ended:
            changed = self._changed
            if not _precedes(cursor, self.end):
                await changed.wait()
            elif _precedes(cursor, self.begin):
                found = await self._past(cursor)
                if found is not None:
                    return found
            else:
                new = takewhile(lambda row: _precedes(cursor, row.cursor), reversed(self.newest))
                return list(new)[::-1]
        return []

    async def reached(self, cursor: RowCursor | None) -> RowCursor | None:
        """A place, or that of the last row if it is behind that.

        Raises:
            ArchiveError: the log cannot be read.
        """
        if not _precedes(self.end, cursor):
            return cursor
        return await run_in_threadpool(self.reader.reached, self.query, cursor)

    async def watch(self) -> None:
        """Look for new rows until cancelled."""
        seen: object = None
        while True:
            with suppress(ArchiveError):  # it is read again; whoever reads what is past is told
                version = await run_in_threadpool(self.reader.version, self.query)
                if version != seen and await self._read():
                    seen = version
            await asyncio.sleep(self.pause)

    def stop(self) -> None:
        """Give no more rows."""
        self.ended = True
        self._wake()

    async def _past(self, cursor: RowCursor | None) -> list[LiveRow] | None:
        """Rows of the log behind a place; `None`: they are in memory now, since somebody else has asked for them.

        After an interruption all who read come again at one time, with the same place.
        """
        async with self._reading:
            if not _precedes(cursor, self.begin):
                return None
            read = await run_in_threadpool(self.reader.after, self.query, cursor, _AT_ONCE)
            found = list(map(_live, read))
            older = [row for row in found if not _precedes(self.begin, row.cursor)]
            reaches = bool(found) and not _precedes(found[-1].cursor, self.begin)
            if reaches and len(older) + len(self.newest) <= _KEPT:
                self.newest.extendleft(reversed(older))
                self.begin = cursor
            return found

    async def _read(self) -> bool:
        """Take over what is new; tell whether that is all."""
        found = await run_in_threadpool(self.reader.after, self.query, self.end, _AT_ONCE)
        if found:
            self.newest.extend(map(_live, found))
            while len(self.newest) > _KEPT:
                self.begin = self.newest.popleft().cursor
            self._wake()
        return len(found) < _AT_ONCE

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


class RowFeeds:
    """The feeds of a project, each for as long as somebody waits for its rows.

    Args:
        settings: of the project.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        path = settings.archive.log or settings.archive.path
        self._pause = _LOOK_AT_BUCKET_S if is_bucket_url(path) else _LOOK_S
        self._feeds: dict[str, tuple[RowFeed, asyncio.Task[None]]] = {}
        self._readers: dict[str, int] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ended = False

    @asynccontextmanager
    async def feed(self, query: str) -> AsyncIterator[RowFeed]:
        """The feed of a query, whose `end` is the last row of now or a moment ago.

        Raises:
            ArchiveError: the log cannot be read.
        """
        async with self._opening[query]:  # after a start many come at once
            if query not in self._feeds:
                reader = MatchReader(self._settings)
                feed = RowFeed(query, reader, self._pause, await run_in_threadpool(reader.end, query))
                self._feeds[query] = feed, asyncio.create_task(feed.watch())
        feed, watching = self._feeds[query]
        feed.ended = self._ended
        self._readers[query] = self._readers.get(query, 0) + 1
        try:
            yield feed
        finally:
            self._readers[query] -= 1
            if not self._readers[query]:
                watching.cancel()
                del self._readers[query], self._feeds[query]

    def end(self) -> None:
        """Let all who wait go: the server ends."""
        self._ended = True
        for feed, _ in self._feeds.values():
            feed.stop()


def _precedes(cursor: RowCursor | None, other: RowCursor | None) -> bool:
    """Whether a place is before another one."""
    return other is not None and (cursor is None or cursor < other)


def _live(found: MatchRow) -> LiveRow:
    text = orjson.dumps(found.row).decode()
    return LiveRow(found.cursor, text, format_sse_event(data_str=text, event="row", id=str(found.cursor)))
