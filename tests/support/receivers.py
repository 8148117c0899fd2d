"""Receivers of calls that are really there: a web server that answers as it is told; and what is sent to them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
from kaicep.config import Settings
from kaicep.pipeline.actions import Action, ActionCall, ActionSpec, action_specs, make_action
from kaicep.pipeline.flow.rules import CALLS

__all__ = ["Request", "WebReceiver", "action", "call", "calls_table", "eventually", "spec", "web_receiver"]


@dataclass(frozen=True)
class Request:
    """What a receiver was sent."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls in it."""
        found = json.loads(self.body)
        return found if isinstance(found, list) else [found]


@dataclass
class WebReceiver:
    """A web server; `answer` says the status and headers of each answer."""

    url: str = ""
    answer: Callable[[Request], tuple[int, Mapping[str, str]]] = lambda _: (200, {})
    requests: list[Request] = field(default_factory=list)

    def ids(self) -> list[str]:
        """Of the calls that it has taken, in order."""
        return [call["_id"] for request in self.requests for call in request.calls]


@contextmanager
def web_receiver(port: int = 0) -> Iterator[WebReceiver]:
    """A web server on this machine; what it refuses it does not note."""
    receiver, lock = WebReceiver(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, dict(self.headers.items()), body)
            status, headers = receiver.answer(request)
            with lock:
                if status < 300:
                    receiver.requests.append(request)
            self.send_response_only(status)
            for name, value in {**headers, "Content-Length": "0"}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def spec(root: Path, **settings: Any) -> ActionSpec:
    """What the action `ops` of a project is made of."""
    parsed = Settings.parse({"actions": {"ops": settings}}, root=root, file="kaicep.toml")
    return action_specs(parsed)["ops"]


def action(root: Path, **settings: Any) -> Action:
    """The action `ops` of a project."""
    return make_action(spec(root, **settings))


def call(number: int = 1, rule: str = "r", /, **arguments: Any) -> ActionCall:
    """A call for `ops`."""
    return ActionCall(rule, f"{rule}-{number}", "ops", "2026-01-01T00:00:00Z", json.dumps(arguments))


def calls_table(numbers: Sequence[int], *, rule: str = "r", action: str = "ops") -> pa.Table:
    """Calls as rules make them."""
    columns = {
        "rule": [rule] * len(numbers),
        "_id": [f"{rule}-{number}" for number in numbers],
        "action": [action] * len(numbers),
        "_time": [datetime.fromtimestamp(number, UTC) for number in numbers],
        "arguments": [json.dumps({"n": number}) for number in numbers],
    }
    return pa.table(columns, schema=CALLS)


def eventually(holds: Callable[[], object], seconds: float = 120.0) -> bool:
    """Whether something becomes true in time."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True
