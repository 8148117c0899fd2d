"""How another process asks a running engine for something: small files in a folder of the engine's state.

A request is `requests/<id>.request`; the engine that takes it makes it `<id>.taken` and answers with `<id>.answer`. One
that it cannot read it sets aside as `<id>.broken`. What it tells meanwhile is in `asked_request.py`.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import KaicepError, PipelineError, error_fields, error_of
from ...storage import ProcessLock, Telling, is_running, untold, write_atomically
from .asked_request import OPEN, AskedRequest, asker, hear, withdraw
from .folder_watch import FolderWatch

__all__ = ["RequestServer", "Requests", "SilentEngineError"]

_LOG = logging.getLogger("kaicep")
_POLL_S = 0.05
_PATIENCE_S = 10.0
_LIMIT_S = 120.0
# Others who ask whether an engine runs hold the lock for a moment.
_BRIEFLY_S = 0.1


class SilentEngineError(PipelineError):
    """The engine ended before it answered, or has not answered in time; what was asked may have been done."""


class Requests:
    """The requests in a folder of an engine's state.

    Args:
        folder: of what they are about, such as the ontology modules.

    Attributes:
        folder: that has them.
        lock: of the engine that answers.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "requests"
        self.lock = ProcessLock(folder / "lock")

    def engine_runs(self) -> bool:
        """Whether an engine answers requests; if not, this process now holds its place until it releases `lock`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return not self.lock.acquire(_BRIEFLY_S)

    def serve(self) -> None:
        """Take the place of the engine; what nobody waits for any more is dropped.

        Raises:
            PipelineError: another engine has it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.lock.acquire(_PATIENCE_S):
            raise PipelineError(
                f"{self.lock.holder()} runs this project", hint="stop it first, or choose another state under [engine]"
            )
        for leftover in self.folder.iterdir():
            if not is_running(asker(leftover)):  # who asked is there no more to hear the answer
                leftover.unlink(missing_ok=True)

    def ask(self, content: Mapping[str, object], limit: float = _LIMIT_S, told: Telling = untold) -> Any:
        """Ask the engine and wait for its answer, a JSON value; who is interrupted meanwhile withdraws what was asked.

        Args:
            content: what is asked.
            limit: seconds that the answer may take.
            told: hears how far it is, where the engine says that.

        Raises:
            KaicepError: the engine refuses; the error is the one that it met.
            SilentEngineError: it ended before it answered, or has not answered in time.
        """
        request = self.folder / f"{time.time_ns()}-{os.getpid()}.request"
        answer = request.with_suffix(".answer")
        with write_atomically(request) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")
        try:
            until, heard = time.monotonic() + limit, ("", 0.0)
            while not answer.exists():
                self._check_engine(request)
                if time.monotonic() > until:
                    raise SilentEngineError(
                        f"the engine has not answered for {limit:g} seconds",
                        hint="see its log; `kaicep queries` tells whether it has done it meanwhile",
                    )
                heard = hear(request, heard, told)
                time.sleep(_POLL_S)
            return _read(json.loads(answer.read_text(encoding="utf-8")))
        finally:
            for suffix in (".request", ".taken", ".told", ".answer"):
                request.with_suffix(suffix).unlink(missing_ok=True)

    def waiting(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Take the requests that have come, in their order."""
        with os.scandir(self.folder) as found:
            names = sorted(each.name for each in found if each.name.endswith(".request"))
        for request in (self.folder / name for name in names):
            try:
                taken = request.rename(request.with_suffix(".taken"))
            except FileNotFoundError:  # withdrawn
                continue
            try:
                content = dict(json.loads(taken.read_text(encoding="utf-8")))
            except (ValueError, TypeError, RecursionError) as error:
                self._set_aside(taken, error)
                continue
            yield taken, content

    def answer(self, taken: Path, found: object) -> None:
        """Answer a request that was taken, by a JSON value or an error; nobody waits for that of one withdrawn."""
        settled = taken.with_suffix(".settled")
        if is_running(asker(taken)) and (taken.exists() or settled.exists()):
            content = error_fields(found) if isinstance(found, KaicepError) else {"answer": found}
            with write_atomically(taken.with_suffix(".answer")) as temporary:
                temporary.write_text(json.dumps(content), encoding="utf-8")
        for file in (taken, settled, taken.with_suffix(".told")):
            file.unlink(missing_ok=True)

    def withdraw(self, process: int) -> bool:
        """Withdraw what a process asks; see `asked_request.withdraw`."""
        return withdraw(self.folder, process)

    def _set_aside(self, taken: Path, error: Exception) -> None:
        """Keep a request that cannot be read where nobody takes it, and tell whoever asked."""
        broken = taken.with_suffix(".broken")
        broken.write_bytes(taken.read_bytes())
        reason = PipelineError(f"the request cannot be read: {error}", hint="it is kept as " + broken.name)
        _LOG.warning("%s: %s", broken, reason)
        self.answer(taken, reason)

    def _check_engine(self, request: Path) -> None:
        gone = not any(request.with_suffix(suffix).exists() for suffix in OPEN)
        if self.lock.acquire():
            self.lock.release()
            gone = True
        if gone and not request.with_suffix(".answer").exists():
            raise SilentEngineError("the engine ended before it answered", hint="try it again")


class RequestServer:
    """Answers requests on a thread of its own, one after the other, until it is closed.

    Args:
        requests: whose place as the engine this process holds.
        answer: gives a JSON value, or the error to be met by whoever asked, who may be told meanwhile how far it is.
        name: the thread's.
        watch: of the engine, which looks for requests; `None`: one of its own.
    """

    def __init__(
        self,
        requests: Requests,
        answer: Callable[[Mapping[str, Any], AskedRequest], object],
        name: str,
        watch: FolderWatch | None = None,
    ) -> None:
        self._requests, self._answer = requests, answer
        self._watch = FolderWatch() if watch is None else watch
        self._woken, self._stopping = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._watch.add(self._woken, requests.folder)

    def close(self) -> None:
        """Finish the answer at work, and answer no more."""
        self._watch.remove(self._woken)
        self._stopping = True
        self._woken.set()
        self._thread.join()

    def _run(self) -> None:
        told = ""
        while self._woken.wait() and not self._stopping:
            self._woken.clear()
            if self._stopping:  # said just before it was cleared
                break
            try:
                for taken, content in self._requests.waiting():
                    self._requests.answer(taken, self._answer(content, AskedRequest(taken)))
                told = ""
            except Exception as error:  # noqa: BLE001 - whoever asks next would wait for ever
                if str(error) != told:
                    _LOG.warning("requests cannot be answered, which is tried again: %s", error)
                told = str(error)


def _read(content: Mapping[str, Any]) -> Any:
    if "error" not in content:
        return content["answer"]
    raise error_of(content)
