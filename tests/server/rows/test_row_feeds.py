"""Who waits for rows is given each once and in order, wherever it begins, and however far it is behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from kaicep.config import Settings
from kaicep.server.rows import MatchReader, RowCursor, RowFeeds, row_feeds
from kaicep.server.rows.row_feeds import RowFeed
from support.kept_rows import keep_rows


async def taken(feeds: RowFeeds, cursor: RowCursor | None, count: int, *, new: bool = False) -> list[float]:
    """So many rows, behind a place or behind what is there now."""
    found: list[float] = []
    async with feeds.feed("high") as feed:
        cursor = feed.end if new else cursor
        while len(found) < count:
            rows = await feed.after(cursor)
            found += [json.loads(row.text)["flow"] for row in rows]
            cursor = rows[-1].cursor
    return found


def within(seconds: float, do: Callable[[], Awaitable[object]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(seconds):
            await do()

    asyncio.run(run())


def test_rows_come_as_they_are_kept(settings: Settings) -> None:
    keep_rows(settings, 0, 1, 2)
    feeds = RowFeeds(settings)

    async def do() -> None:
        async with feeds.feed("high") as feed:
            fresh = asyncio.create_task(taken(feeds, None, 3, new=True))
            every = asyncio.create_task(taken(feeds, None, 5))
            behind = asyncio.create_task(taken(feeds, RowCursor.parse("0-0-0"), 4))
            await asyncio.sleep(0)
            assert str(feed.end) == "0-0-1"
            await asyncio.to_thread(keep_rows, settings, 1, 3)
            await asyncio.to_thread(keep_rows, settings, 2, 4, 5)
            assert await fresh == [3, 4, 5]
            assert await every == [1, 2, 3, 4, 5]
            assert await behind == [2, 3, 4, 5]

    within(60, do)


def test_who_is_further_than_a_restored_log_has_what_comes_next(settings: Settings) -> None:
    """And not only what comes when the log is as long as it was."""
    keep_rows(settings, 0, 1, 2)
    feeds = RowFeeds(settings)

    async def do() -> None:
        async with feeds.feed("high") as feed:
            asked = ("0-5-1", "0-0-1", "0-0-0", "0")
            reached = [await feed.reached(RowCursor.parse(one)) for one in asked]
            assert [str(one) for one in reached] == ["0-0-1", "0-0-1", "0-0-0", "None"]
            await asyncio.to_thread(keep_rows, settings, 1, 3)
            assert await taken(feeds, reached[0], 1) == [3]

    within(60, do)


def test_a_feed_that_is_a_moment_behind_the_log_takes_nobody_back(settings: Settings) -> None:
    """A place that another server has given, say."""
    keep_rows(settings, 0, 1, 2)
    feed = RowFeed("high", MatchReader(settings), 0.1, RowCursor.parse("0-0-0"))
    behind = RowCursor.parse("0-0-1")
    assert asyncio.run(feed.reached(behind)) == behind


def test_who_is_further_behind_than_memory_reads_the_log(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_feeds, "_KEPT", 3)
    monkeypatch.setattr(row_feeds, "_AT_ONCE", 2)
    feeds = RowFeeds(settings)

    async def do() -> None:
        async with feeds.feed("high") as feed:
            await asyncio.to_thread(keep_rows, settings, 0, *range(10))
            while str(feed.end) != "0-0-9":
                await asyncio.sleep(0.01)
            assert (len(feed.newest), str(feed.begin)) == (3, "0-0-6")
            assert await taken(feeds, None, 10) == [*range(10)]
            assert await taken(feeds, RowCursor.parse("0-0-7"), 2) == [8, 9]

    within(60, do)


def test_what_one_reader_reads_of_the_log_the_others_have(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an interruption all come again at one time, from about the same place."""
    keep_rows(settings, 0, 1, 2)
    keep_rows(settings, 1, 3, 4)
    read: list[str] = []
    for name in ("after", "end"):
        own = getattr(MatchReader, name)

        def counted(*given: object, own: Callable[..., object] = own, name: str = name) -> object:
            read.append(name)
            return own(*given)

        monkeypatch.setattr(MatchReader, name, counted)
    feeds = RowFeeds(settings)

    async def do() -> None:
        async with feeds.feed("high") as feed:
            read.clear()
            same = [taken(feeds, RowCursor.parse("0-0-0"), 3) for _ in range(50)]
            nearer = [taken(feeds, RowCursor.parse("0-1-0"), 1) for _ in range(50)]
            found = await asyncio.gather(*same, *nearer)
            assert found == [[2, 3, 4]] * 50 + [[4]] * 50
            assert str(feed.begin) == "0-0-0"

    within(60, do)
    assert read.count("after") <= 3  # one for those who come again, and the feed's own looks


def test_many_who_come_at_once_open_one_feed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_rows(settings, 0, 1, 2)
    opened: list[str] = []
    own = MatchReader.end

    def end(reader: MatchReader, query: str) -> RowCursor | None:
        opened.append(query)
        return own(reader, query)

    monkeypatch.setattr(MatchReader, "end", end)
    feeds, all_here = RowFeeds(settings), asyncio.Barrier(50)

    async def come() -> object:
        async with feeds.feed("high") as feed:
            await all_here.wait()
            return feed

    async def do() -> None:
        found = await asyncio.gather(*(come() for _ in range(50)))
        assert all(feed is found[0] for feed in found)

    within(60, do)
    assert opened == ["high"]


def test_an_event_is_made_once_for_all_who_read_it(settings: Settings) -> None:
    keep_rows(settings, 0, 1)
    feeds = RowFeeds(settings)

    async def do() -> None:
        async with feeds.feed("high") as feed:
            await asyncio.to_thread(keep_rows, settings, 1, 2)
            (one,), (other,) = [await feed.after(feed.begin) for _ in range(2)]
            assert one.event is other.event
            assert one.event == f"event: row\ndata: {one.text}\nid: 0-1-0\n\n".encode()

    within(60, do)


def test_a_feed_ends_with_its_last_reader_and_with_the_server(settings: Settings) -> None:
    feeds = RowFeeds(settings)

    async def do() -> None:
        async with feeds.feed("high") as feed:
            waiting = asyncio.create_task(feed.after(None))
            await asyncio.sleep(0)
            feeds.end()
            assert await waiting == []
        async with feeds.feed("high") as later:
            assert later is not feed
            assert await later.after(None) == []

    within(60, do)
