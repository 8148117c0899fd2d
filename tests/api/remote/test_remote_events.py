"""Server-sent events are read as HTML says, and a connection that is cut is made again behind the last row."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import pytest
from kaicep.api.remote import remote_events
from kaicep.api.remote.remote_connection import Connection, RemoteError
from kaicep.api.remote.remote_events import events_of, following_rows


def test_events_of_lines() -> None:
    lines = [": hello", "id: 1", "", "id: 2", "event: row", "data: {", "data:}", "", ": ping", "", "data: x"]
    assert list(events_of(lines)) == [("1", ""), ("2", "{\n}")]


@contextmanager
def breaking_server(heard: list[str | None]) -> Iterator[str]:
    """Sends two rows behind the last id, then cuts the connection; each third request is refused for now."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            last = self.headers.get("Last-Event-ID")
            heard.append(last)
            self.send_response(503 if len(heard) % 3 == 0 else 200)
            self.end_headers()
            if len(heard) % 3:
                first = int(last or 0) + 1
                for n in (first, first + 1):
                    self.wfile.write(f"id: {n}\nevent: row\ndata: {json.dumps({'n': n})}\n\n".encode())
                self.wfile.write(b"id: 99\ndata: half of")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_each_row_once_over_interruptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_events, "_FIRST_PAUSE_S", 0.0)
    heard: list[str | None] = []
    with breaking_server(heard) as url:
        rows = following_rows(Connection(url, None, 30.0), "/rows", None)
        assert [(row.id, row.row["n"]) for row in islice(rows, 7)] == [(str(n), n) for n in range(1, 8)]
    assert heard == [None, "2", "4", "4", "6"]


def test_a_server_that_was_never_there_is_told() -> None:
    with pytest.raises(RemoteError):
        next(following_rows(Connection("http://127.0.0.1:9", None, 5.0), "/rows", None))
