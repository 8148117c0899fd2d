"""A server on a free port of this machine, and what it answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
import urllib3
from kaicep.config import Settings
from kaicep.errors import KaicepError
from kaicep.server import HttpServer, web_application
from kaicep.server.engine_process import EngineProcess
from kaicep.server.jobs import JobQueue
from kaicep.server.jobs.job_process import JobProcess
from kaicep.server.problem import ProblemError
from kaicep.server.queries import ProjectProcesses
from kaicep.server.sparql import WatchedCall, process_pool
from kaicep.server.sparql.store_process import StoreProcess
from kaicep.storage import Telling

from .command_line import wait_for

__all__ = ["Answer", "ask", "finished", "processes_here", "serving"]

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


def finished(url: str, begun: Answer, **headers: str) -> Any:
    """The job of an answer as soon as it is over.

    Args:
        url: of the server.
        begun: says where the job is.
        headers: of the requests for it.
    """
    assert begun.status == 202, begun.text
    told: list[Any] = []

    def over() -> bool:
        told[:] = [ask(f"{url}{begun.headers['location']}", **headers).json]
        return told[0]["state"] not in ("waiting", "running")

    wait_for(over)
    return told[0]


class _LoadedHere(ProjectProcesses):
    """Does what is asked of the project in this process, with the same refusals."""

    def ask(self, do: Callable[..., Any], *args: Any, **named: Any) -> Any:
        with _refusing():
            return do(ox.Store(), self._settings, *args, **named)

    def change(self, do: Callable[..., Any], *args: Any, **named: Any) -> Any:
        return self.ask(do, *args, **named)


def processes_here(settings: Settings) -> ProjectProcesses:
    """Processes of a project that are none."""
    return _LoadedHere(settings)


class _JobHere(JobProcess):
    """Does its work in this process, likewise."""

    def run(self, seconds: float, told: Telling) -> Any:
        del seconds
        with _refusing():
            return self._work(told, *self._arguments)


class _JobsHere(JobQueue):
    process = _JobHere


class _StoreHere(StoreProcess):
    """Opens stores in this process, with the same refusals."""

    def __init__(self, *, writable: bool = False, **_: object) -> None:
        self._writable, self._kept = writable, dict[Path, ox.Store]()

    @property
    def runs(self) -> bool:
        """No other process opens a store ahead."""
        return False

    def start(self) -> None:
        """There is nothing to begin."""

    def call(self, folder: Path | None, seconds: float, do: Callable[..., Any], *args: Any, **named: Any) -> Any:
        del seconds
        with _refusing():
            if folder is None or not self._writable:
                return do(ox.Store() if folder is None else ox.Store.read_only(str(folder)), *args, **named)
            if folder not in self._kept:
                folder.mkdir(parents=True, exist_ok=True)
                self._kept[folder] = ox.Store(folder)
            return do(self._kept[folder], *args, **named)

    def call_watched(
        self, watch: WatchedCall, folder: Path | None, seconds: float, do: Callable[..., Any], *args: Any, **named: Any
    ) -> Any:
        return self.call(folder, seconds, partial(_watched, do, watch), *args, **named)

    def close(self) -> None:
        """Let go of the stores."""
        self._kept.clear()


def _watched(do: Callable[..., Any], watch: WatchedCall, store: ox.Store, *args: Any, **named: Any) -> Any:
    return do(store, watch.hear, *args, **named)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except KaicepError as error:
        raise ProblemError(400, error) from error


@contextmanager
def serving(
    settings: Settings, engine: EngineProcess | None = None, *, processes: bool = False, stores: bool = True
) -> Iterator[str]:
    """Serve a project on a free port; give its address.

    Args:
        settings: of the project.
        engine: begins and ends with it.
        processes: whether the project is loaded in processes of their own, each of which takes seconds to begin.
        stores: likewise, whether stores are opened in processes of their own.
    """
    free = settings.server.model_copy(update={"port": 0})
    with pytest.MonkeyPatch.context() as patch:
        if not processes:
            patch.setattr(web_application, "ProjectProcesses", _LoadedHere)
            patch.setattr(web_application, "JobQueue", _JobsHere)
        if not stores:
            patch.setattr(process_pool, "StoreProcess", _StoreHere)
        server = HttpServer(settings.model_copy(update={"server": free}), engine)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
