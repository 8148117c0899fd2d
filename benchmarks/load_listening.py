"""Those who listen: readers of server-sent events that come again after each interruption, and clients of SPARQL.

All readers are one process with one loop, since the machine is shared with what is measured.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from array import array
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event
from urllib.parse import urlencode

import orjson
import urllib3

from .load_project import DEVICES, QUERIES

__all__ = ["Asked", "Heard", "ask", "listen"]

_AGAIN_S = (0.2, 1.5)
_LOOK_S = 0.25
_SILENT_S = 40.0
"""A comment comes every 15 seconds: who hears nothing for so long comes again."""
_THINK_S = (1.0, 3.0)
_HURRIED = 10
"""One in so many readers goes by itself, every half minute on average, and comes again."""
_STAY_S = 30.0


@dataclass(slots=True)
class Heard:
    """What one reader was sent.

    Attributes:
        query: whose rows it reads.
        rows: their `_id`s by the place in `Listeners.ids`, in the order in which they came.
        came: when each came, in seconds since 1970.
        connections: how often it has come.
    """

    query: str
    rows: array[int] = field(default_factory=lambda: array("L"))
    came: array[float] = field(default_factory=lambda: array("d"))
    connections: int = 0


@dataclass(slots=True)
class Listeners:
    """All readers.

    Attributes:
        heard: by reader.
        ids: the place of each `_id`.
        events: by that place, the numbers of the row's events.
        strange: what they were sent that is no row.
    """

    heard: list[Heard]
    ids: dict[str, int] = field(default_factory=dict)
    events: list[tuple[int, ...]] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """An answered question.

    Attributes:
        began: when it was first sent, in seconds since 1970.
        took: seconds until it was answered.
        tries: how often it was sent.
        right: whether the answer was.
    """

    began: float
    took: float
    tries: int
    right: bool


def listen(address: tuple[str, int], readers: int, told: Event) -> Listeners:
    """Read rows from the first one on, until told to end.

    Args:
        address: of the server.
        readers: how many; they share the queries.
        told: that it ends.
    """
    found = Listeners([Heard(QUERIES[number % len(QUERIES)]) for number in range(readers)])
    asyncio.run(_listen(address, found, told))
    return found


async def _listen(address: tuple[str, int], found: Listeners, told: Event) -> None:
    tasks = [
        asyncio.create_task(_read(address, heard, found, hurried=number % _HURRIED == 0))
        for number, heard in enumerate(found.heard)
    ]
    while not told.is_set():
        await asyncio.sleep(_LOOK_S)
        for task in tasks:
            if task.done():
                task.result()  # raises what has ended it
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _read(address: tuple[str, int], heard: Heard, found: Listeners, *, hurried: bool) -> None:
    last, draws = "0", random.Random(len(found.heard) + id(heard) % 997)
    while True:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(draws.expovariate(1 / _STAY_S) + 1.0 if hurried else None):
                heard.connections += 1
                async for sent in _events(address, heard.query, last):
                    last = _note(sent, heard, found) or last
        await asyncio.sleep(draws.uniform(*_AGAIN_S))


def _note(sent: bytes, heard: Heard, found: Listeners) -> str | None:
    """Take an event; give its id."""
    lines: Mapping[bytes, bytes] = dict(line.partition(b": ")[::2] for line in sent.splitlines())
    if b"data" in lines:
        row = orjson.loads(lines[b"data"])
        place = found.ids.get(row["_id"])
        if place is None:
            place = found.ids[row["_id"]] = len(found.events)
            found.events.append(tuple(row[name] for name in ("n", "second") if name in row))
        heard.rows.append(place)
        heard.came.append(time.time())
    elif not sent.startswith(b":") and b"id" not in lines:
        found.strange.append(sent.decode(errors="replace"))
    return lines[b"id"].decode() if b"id" in lines else None


async def _events(address: tuple[str, int], query: str, last: str) -> AsyncIterator[bytes]:
    """The events of one connection, as they come.

    Raises:
        OSError, TimeoutError, IncompleteReadError: it has ended, or was refused.
    """
    reader, writer = await asyncio.open_connection(*address, limit=2**20)
    try:
        head = f"GET /queries/{query}/rows HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nLast-Event-ID: {last}\r\n\r\n"
        writer.write(head.encode())
        async with asyncio.timeout(_SILENT_S):
            answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200"):
            raise ConnectionError(answer)
        rest = b""
        while True:
            async with asyncio.timeout(_SILENT_S):
                size = int(await reader.readuntil(b"\r\n"), 16)
                chunk = await reader.readexactly(size + 2)
            *whole, rest = (rest + chunk[:-2]).split(b"\n\n")
            for event in whole:
                yield event
            if not size:
                return
    finally:
        writer.close()


def ask(url: str, clients: int, told: Event) -> list[Asked]:
    """Ask a small question again and again, with some time to think, until told to end.

    Args:
        url: of the server.
        clients: how many ask at once.
        told: that it ends.
    """
    found: list[Asked] = []
    threads = [threading.Thread(target=_ask, args=(url, number, told, found)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _ask(url: str, client: int, told: Event, found: list[Asked]) -> None:
    pool, draws = urllib3.PoolManager(retries=False, timeout=60.0, maxsize=1), random.Random(client)
    time.sleep(draws.uniform(0.0, _THINK_S[1]))
    while not told.is_set():
        number = draws.randrange(DEVICES)
        query = f"SELECT ?room WHERE {{ l:d{number} l:in ?room }}"
        wanted = b"urn:load#hall" if number % 2 else b"urn:load#lab"
        began, tries = time.time(), 0
        while not told.is_set():
            tries += 1
            with suppress(urllib3.exceptions.HTTPError):
                accept = {"Accept": "text/csv"}
                answer = pool.request("GET", f"{url}/sparql?{urlencode({'query': query})}", headers=accept)
                if answer.status == 200:
                    found.append(Asked(began, time.time() - began, tries, wanted in answer.data))
                    break
            time.sleep(_LOOK_S)
        time.sleep(draws.uniform(*_THINK_S))
