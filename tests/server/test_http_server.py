"""It listens where it is told to, and says why it cannot."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import urllib3
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.server import HttpServer, http_server
from support.certificates import self_signed
from support.receivers import eventually
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


def test_no_answer_waits_for_what_was_sent_before_it() -> None:
    """Nagle's algorithm is off: the body of an answer followed its head after 40 ms."""
    with serving(at("127.0.0.1", 0)) as url, socket.create_connection(address(url)) as asking:
        asking.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert asking.recv(4096).startswith(b"HTTP/1.1 200 ")
        (answering,) = sockets_to(asking.getsockname())
        assert answering.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        answering.close()


def address(url: str) -> tuple[str, int]:
    return "127.0.0.1", int(url.rpartition(":")[2])


def sockets_to(client: object) -> list[socket.socket]:
    """Those of this process whose other end that is."""
    found = []
    for file in Path("/dev/fd").iterdir():
        with suppress(OSError):  # no socket, or none that is connected
            one = socket.socket(fileno=os.dup(int(file.name)))
            if one.getpeername() == client:
                found.append(one)
            else:
                one.close()
    return found


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


PROGRAM = """
import pathlib, sys
from kaicep.config import Settings
from kaicep.server import serve
stream = {'event_type': '<urn:E>', 'time': {'attribute': 'at'}}
stream['source'] = {'format': 'json', 'path': 'in', 'cleanSource': 'delete'}
server = {'port': 0, 'cors': ['https://page.example']}
settings = Settings.parse({'server': server, 'streams': {'air': stream}}, root=pathlib.Path(sys.argv[1]))
serve(settings, None, lambda said: print(said, flush=True))
"""


def test_a_request_that_has_come_is_answered_when_it_is_told_to_end(tmp_path: Path) -> None:
    """Its body comes when nobody is let in any more."""
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        port = int(running.stdout.readline().rpartition(":")[2])
        with half_asked(port) as asking:
            running.send_signal(signal.SIGTERM)
            assert eventually(lambda: not listens(port))
            asking.sendall(b'"2026-01-01T00:00:00Z"}')
            answer = asking.recv(4096)
        assert answer.startswith(b"HTTP/1.1 202 ")
        assert running.wait(timeout=60) == 0
    (file,) = (tmp_path / "in").iterdir()
    assert file.read_text() == '{"at":"2026-01-01T00:00:00Z"}\n'


def test_it_waits_for_no_request_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose body never comes, say: it hears that the server ends, and its events are not taken."""
    monkeypatch.setattr(http_server, "_GRACE_S", 1)
    source = {"format": "json", "path": "in", "cleanSource": "delete"}
    stream = {"event_type": "<urn:E>", "time": {"attribute": "at"}, "source": source}
    with ExitStack() as after:
        server = {"cors": ["https://page.example"]}
        with serving(Settings.parse({"streams": {"air": stream}, "server": server}, root=tmp_path)) as url:
            asking = after.enter_context(half_asked(address(url)[1]))
            began = time.monotonic()
        assert 0.5 < time.monotonic() - began < 10.0
        answer = asking.recv(4096)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"access-control-allow-origin: https://page.example" in answer
        assert b'"detail":"the server ends"' in answer
    assert not list(tmp_path.rglob("*.jsonl"))


def half_asked(port: int) -> socket.socket:
    """A connection whose request is being read: the server has told it to send the body, and has half of that."""
    asking = socket.create_connection(("127.0.0.1", port), timeout=60)
    head = f"POST /streams/air/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://page.example\r\n"
    asking.sendall(
        f"{head}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 29\r\n\r\n".encode()
    )
    assert asking.recv(4096).startswith(b"HTTP/1.1 100 ")
    asking.sendall(b'{"at":')
    return asking


def listens(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def test_after_its_end_nobody_listens() -> None:
    with serving(at("127.0.0.1", 0)) as url:
        _, port = address(url)
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
