"""A server on a free port of this machine, and what it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import urllib3
from kaicep.config import Settings
from kaicep.server import HttpServer
from kaicep.server.engine_process import EngineProcess

__all__ = ["Answer", "ask", "serving"]

_HTTP = urllib3.PoolManager(retries=False, timeout=60.0)


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(url: str, method: str = "GET", body: str | bytes | None = None, **headers: str) -> Answer:
    """Send a request; `_` in the names of headers stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    found = _HTTP.request(method, url, body=body, headers=named, redirect=False)
    return Answer(found.status, {name.lower(): value for name, value in found.headers.items()}, found.data)


@contextmanager
def serving(settings: Settings, engine: EngineProcess | None = None) -> Iterator[str]:
    """Serve a project on a free port; give its address."""
    free = settings.server.model_copy(update={"port": 0})
    server = HttpServer(settings.model_copy(update={"server": free}), engine)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
