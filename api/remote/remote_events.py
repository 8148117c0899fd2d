"""Server-sent events, read as they come; a connection that ends is made again, behind the last row.

Source: HTML, Server-sent events, 9.2.6.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator

import urllib3

from .remote_answers import RemoteRow
from .remote_connection import REFUSED, Connection, RemoteError, error_of_problem

__all__ = ["events_of", "following_rows"]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 15.0
_PASSING = frozenset({408, 429, 500, 502, 503, 504})


def following_rows(connection: Connection, path: str, after: str | None) -> Iterator[RemoteRow]:
    """Rows as they come, each once, for ever.

    Args:
        connection: to the server.
        path: of the rows.
        after: the place that they begin behind; `None`: rows that are new from now on; `0`: all.

    Raises:
        KaicepError: the server refuses; where it is away for a while it is waited for.
    """
    place, pause, began = after, _FIRST_PAUSE_S, False
    while True:
        headers = {"Accept": "text/event-stream"} | ({} if place is None else {"Last-Event-ID": place})
        try:
            answer = connection.request("GET", path, headers=headers, stream=True, refused=False)
            if answer.status >= REFUSED and not (began and answer.status in _PASSING):
                raise error_of_problem(answer.status, answer.headers.get("Content-Type", ""), answer.data)
            began = True
            for name, data in events_of(_lines(answer)) if answer.status < REFUSED else ():
                place, pause = name or place, _FIRST_PAUSE_S
                if data:
                    yield RemoteRow(place or "", json.loads(data))
        except RemoteError as error:
            if not began or error.status:
                raise
        except urllib3.exceptions.HTTPError:  # the connection was cut
            pass
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def events_of(lines: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Events as pairs of id and data, from their lines; those without data have an id alone."""
    name: str | None = None
    data: list[str] = []
    for line in lines:
        if not line:
            if name is not None or data:
                yield name, "\n".join(data)
            name, data = None, []
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "id":
            name = value
        elif field == "data":
            data.append(value)


def _lines(answer: urllib3.BaseHTTPResponse) -> Iterator[str]:
    text = b""
    try:
        while part := answer.read1():
            text += part
            *whole, text = text.split(b"\n")
            yield from (line.decode().rstrip("\r") for line in whole)
    finally:
        answer.close()
