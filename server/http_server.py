"""Listens until it is told to end, and then ends what it has begun."""

from __future__ import annotations

import errno
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn

from ..api.clients import engine_lives
from ..config import Settings
from ..errors import ConfigError, PipelineError, Place
from .engine_process import EngineProcess
from .problem import ProblemError
from .queries import ProjectProcesses
from .readiness import readiness_of
from .request_head import PromptProtocol
from .web_application import create_app

__all__ = ["HttpServer", "serve"]

_GRACE_S = 10
_LOOK_S = 0.2
_BACKLOG = 1024
_LONGEST_MESSAGE = 65_536


class HttpServer:
    """The server of a project, which listens from now on and answers in `run`.

    Args:
        settings: of the project.
        engine: begins and ends with it; `None`: it is left to others.

    Attributes:
        url: that it is asked at.

    Raises:
        ConfigError: it would listen beyond this machine without tokens, or its certificate is none.
        PipelineError: it cannot listen there.
    """

    def __init__(self, settings: Settings, engine: EngineProcess | None = None) -> None:
        server = settings.server
        app = create_app(settings, engine)
        self._socket = _listening(server.host, server.port)
        secure = None if server.certificate is None else settings.path(server.certificate)
        host, port = self._socket.getsockname()[:2]
        name = f"[{host}]" if ":" in host else host
        self.url = f"http{'' if secure is None else 's'}://{name}:{port}"
        self._processes: ProjectProcesses = app.state.processes
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
            ssl_certfile=secure,
            ssl_keyfile=None if server.key is None else str(settings.path(server.key)),
            http=PromptProtocol,
            limit_concurrency=server.connections,
            ws="websockets-sansio",
            ws_max_size=_LONGEST_MESSAGE,
        )
        self._server = _Server(app.state.feeds.end, config)
        try:
            config.load()
        except OSError as error:  # it has no certificate, or not its key
            self._socket.close()
            hint = "name files in PEM, the certificate's and its key's, as certificate and key under [server]"
            said = f"no TLS with {server.certificate}: {error.strerror or error}"
            raise ConfigError(said, place=Place(settings.file), hint=hint) from error

    def warm(self) -> None:
        """Load in another process what most requests need, so that nobody waits for that; in the background."""
        threading.Thread(target=self._warm, name="kaicep-warm", daemon=True).start()

    def _warm(self) -> None:
        with suppress(ProblemError):  # whoever asks is told
            self._processes.start()

    def run(self) -> signal.Signals | None:
        """Answer until the process is told to end, or `stop` is called: requests that came before are answered.

        Returns:
            What told it to end; `None`: `stop` did.
        """
        self._server.run(sockets=[self._socket])
        return self._server.received

    @property
    def answers(self) -> bool:
        """Whether it has begun to; from then on it also hears what tells the process to end."""
        return self._server.started

    def stop(self) -> None:
        """Let `run` return; from any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """Notes what tells the process to end, instead of raising it again when all has ended.

    Args:
        end: lets those go who wait for rows: they would wait for ever.
        config: of uvicorn.
    """

    received: signal.Signals | None = None

    def __init__(self, end: Callable[[], None], config: uvicorn.Config) -> None:
        super().__init__(config)
        self._end = end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests that have come, and take no more."""
        self._end()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take Ctrl-C and the request to terminate for as long as it answers; a second one does not wait."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit, self.received = True, signal.Signals(number)


def serve(
    settings: Settings,
    command: list[str] | None,
    say: Callable[[str], None],
    beside: Callable[[str], None] | None = None,
) -> signal.Signals | None:
    """Serve a project over HTTP until the process is told to end.

    Args:
        settings: of the project.
        command: the words that run its engine; `None`: it is left to others.
        say: takes a line of the log.
        beside: is given the address as soon as the server is ready, on a thread of its own that nobody waits for.

    Returns:
        What told it to end.

    Raises:
        ConfigError, PipelineError: see `HttpServer`.
    """
    engine = None if command is None else EngineProcess(command, lambda: engine_lives(settings), say)
    server = HttpServer(settings, engine)
    server.warm()
    say(f"kaicep answers at {server.url}")
    if beside is not None:
        threading.Thread(target=_when_ready, args=(server, settings, engine, beside), daemon=True).start()
    return server.run()


def _when_ready(
    server: HttpServer, settings: Settings, engine: EngineProcess | None, do: Callable[[str], None]
) -> None:
    while not (server.answers and readiness_of(settings, engine).ready):
        time.sleep(_LOOK_S)
    do(server.url)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        found = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        hint = "name another one with --port" if error.errno == errno.EADDRINUSE else "name another host with --host"
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise PipelineError(f"cannot listen at {host}, port {port}: {reason}", hint=hint) from error
    # Its connections inherit it. asyncio sets it for those alone whose protocol is named, which it is not here, and a
    # body would wait for the acknowledgement of its head, for which clients take 40 ms.
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found
