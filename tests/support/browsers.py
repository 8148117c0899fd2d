"""Chromium, as whoever opens the page has it: what it shows, whom it asks, and what it complains of."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, sync_playwright

from support.brokers import free_port

__all__ = ["CHROMIUM", "PATIENCE_MS", "Complaints", "browser", "fake_server"]

PATIENCE_MS = 60_000
_UNPACKED = Path(__file__).parents[2] / ".cache" / "chromium"
CHROMIUM = shutil.which("chromium", path=f"{_UNPACKED}:{os.environ['PATH']}")
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",  # no page hears of the internet
]


class Complaints(list[str]):
    """What a page has said on its console, and requests that went elsewhere than to its server."""

    def __init__(self, page: Page, url: str) -> None:
        super().__init__()
        page.on("console", lambda said: self.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on("request", lambda sent: None if sent.url.startswith((url, "blob:")) else self.append(sent.url))


@contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium with a profile of its own."""
    assert CHROMIUM is not None, "tests of the page need Chromium: `make setup`, or else apt-get install chromium"
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS, timeout=PATIENCE_MS)
        try:
            yield found
        finally:
            found.close()


@contextmanager
def fake_server(app: FastAPI) -> Iterator[str]:
    """Serve an application on a free port; give its address."""
    port = free_port()
    config = uvicorn.Config(app, "127.0.0.1", port, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    ends = time.monotonic() + PATIENCE_MS / 1000
    while not server.started:
        assert time.monotonic() < ends, "the server does not begin"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
