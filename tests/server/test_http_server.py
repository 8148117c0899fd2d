"""It listens where it is told to, and says why it cannot."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.server import HttpServer
from support.certificates import self_signed
from support.servers import ask, serving


def at(host: str, port: int) -> Settings:
    return Settings.parse({"server": {"host": host, "port": port}})


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PipelineError, match=f"port {port}: Address already in use: name another one with --port"):
            HttpServer(at("127.0.0.1", port))


def test_it_is_asked_by_its_address() -> None:
    with serving(at("127.0.0.1", 0)) as url:
        assert url.startswith("http://127.0.0.1:")
        assert ask(f"{url}/health").status == 200


def test_what_is_done_beside_it_begins_when_it_is_ready(tmp_path: Path) -> None:
    """In a process of its own: `serve` is ended by signals."""
    program = (
        "import os, pathlib, signal, sys\n"
        "from kaicep.config import Settings\n"
        "from kaicep.server import serve\n"
        "settings = Settings.parse({'server': {'port': 0}}, root=pathlib.Path(sys.argv[1]))\n"
        "def beside(url): print(url); os.kill(os.getpid(), signal.SIGTERM)\n"
        "print(serve(settings, None, print, beside).name)\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    listening, url, ended = done.stdout.splitlines()
    assert (listening, ended) == (f"kaicep answers at {url}", "SIGTERM")


def test_after_its_end_nobody_listens() -> None:
    with serving(at("127.0.0.1", 0)) as url:
        port = int(url.rpartition(":")[2])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def certified(folder: Path, **server: str) -> Settings:
    """A project with a certificate for this machine, `own.pem` and `own.key`."""
    self_signed(folder)
    return Settings.parse({"server": {"certificate": "own.pem", "key": "own.key", **server}}, root=folder)


def test_with_a_certificate_it_answers_by_tls_alone(tmp_path: Path) -> None:
    with serving(certified(tmp_path)) as url:
        assert url.startswith("https://127.0.0.1:")
        trusting = urllib3.PoolManager(ca_certs=str(tmp_path / "own.pem"), retries=False)
        assert trusting.request("GET", f"{url}/health").status == 200
        trusting.clear()  # else the server waits for it to end
        with pytest.raises(urllib3.exceptions.HTTPError):
            urllib3.PoolManager(retries=False).request("GET", url.replace("https", "http") + "/health")
        with pytest.raises(urllib3.exceptions.SSLError):  # one that does not trust it
            urllib3.PoolManager(retries=False).request("GET", f"{url}/health")


@pytest.mark.parametrize("server", [{"certificate": "none.pem"}, {"key": "own.pem"}])
def test_a_certificate_that_is_none_is_told_before_anything_begins(tmp_path: Path, server: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"no TLS with \w+\.pem: .*name files in PEM"):
        HttpServer(certified(tmp_path, port="0", **server))
