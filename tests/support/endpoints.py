"""SPARQL endpoints to talk to: Oxigraph's own server, and a server that answers whatever a test wants."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import urllib3

_PATIENCE_S = 60.0


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def oxigraph(port: int) -> Iterator[str]:
    """Run `oxigraph serve` in memory; give the URL of queries."""
    beside = Path(sys.executable).with_name("oxigraph")
    program = str(beside) if beside.exists() else shutil.which("oxigraph")
    assert program is not None, "pip install oxigraph"
    server = subprocess.Popen([program, "serve", "--bind", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + _PATIENCE_S
        while not _listens(port):
            assert server.poll() is None, "oxigraph ended"
            assert time.monotonic() < deadline, "oxigraph does not listen"
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}/query"
    finally:
        server.kill()
        server.wait()


def clear(queries: str) -> None:
    """Forget everything."""
    url = queries.replace("/query", "/update")
    answer = urllib3.request("POST", url, body=b"DROP ALL", headers={"Content-Type": "application/sparql-update"})
    assert answer.status == 204


@contextmanager
def answering(reply: Callable[[str], tuple[int, str, bytes]]) -> Iterator[str]:
    """Serve what `reply` gives for the path of each request: status, content type, content."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status, kind, content = reply(self.headers.get("Authorization", self.path))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has there
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/query"
    finally:
        server.shutdown()
        server.server_close()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
