"""A process that has a store open and does what is asked of it, until one thing takes too long: then it is ended.

It is begun ahead and kept: a process of its own for each request takes longer than most answers.
"""

from __future__ import annotations

import shutil
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import pyoxigraph as ox
from cachetools import LRUCache

from ...errors import ArchiveError, KaicepError, Place, error_fields, error_of
from ...storage import SETTLED, ChildProcess, Telling, serve_parent
from ..problem import ProblemError
from .watched_call import WatchedCall

__all__ = ["StoreProcess", "TimeLimitError", "copied", "main"]

Given = ParamSpec("Given")
Found = TypeVar("Found")

_STARTING_S = 120.0
_IDLE_S = 60.0
_PROMPT_S = 1.0
"""What takes longer gives way to others; the process, which cannot be otherwise again, is begun anew then."""
_SETTLING_S = 60.0
"""What takes too long, and can be given up no more, has so much longer."""
_TOLD, _ANSWER = "told", "answer"
_OPENED = 2
"""A copy that is asked, and the next one."""
_NOT_STARTED = "the process that answers does not start"


class TimeLimitError(ProblemError):
    """What was asked took too long, and was given up."""


class StoreProcess:
    """One process, which does one thing after the other.

    Args:
        writable: whether stores are opened to be written, and made where they are not there.
        first: what it does before anything else, with its arguments: what it loads by that costs who asks no time.
        prompt: whether what takes a moment is done at once, however busy the machine is.

    Attributes:
        spent: it gives way to others for good: another one has to do what is to be prompt.
    """

    spent = False

    def __init__(
        self,
        *,
        writable: bool = False,
        first: tuple[Callable[..., object], *tuple[Any, ...]] | None = None,
        prompt: bool = False,
    ) -> None:
        self._writable, self._first, self._prompt = writable, first, prompt
        self._child: ChildProcess | None = None
        self._using = threading.RLock()
        self._closed = False

    @property
    def runs(self) -> bool:
        """Whether it is there."""
        child = self._child
        return child is not None and child.runs

    def start(self) -> None:
        """Begin it, unless it is there and prompt: whoever asks next does not wait for that.

        Raises:
            ProblemError: it does not start, or is closed.
        """
        with self._using:
            if self.spent:
                self._drop()
            self._connected()

    def call(
        self,
        folder: Path | None,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """What a function gives for the store of a folder.

        Args:
            folder: of the store; `None`: an empty one in memory.
            seconds: that it may take; then the process is ended, and what it has not finished has not happened.
            do: a function of a module.
            args: what it is given behind the store.
            named: likewise.

        Raises:
            ProblemError: it refuses, takes too long, or needs too much memory.
        """
        message = folder, self._writable, do, args, named, False
        found: Found = self._exchanged(message, seconds, prompt=self._prompt)
        return found

    def call_watched(
        self,
        watch: WatchedCall,
        folder: Path | None,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Telling, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """As `call`, of a function that tells how far it is; it has told `SETTLED` before it changes anything.

        Args:
            watch: hears that, and may give it up until then.
            folder: as there.
            seconds: that it may take until then; what takes longer is given up, and has not happened.
            do: given the store, and what tells how far it is.
            args: likewise.
            named: likewise.

        Raises:
            ProblemError: as there, or it was given up.
        """
        message = folder, self._writable, do, args, named, True
        found: Found = self._exchanged(message, seconds, prompt=self._prompt, watch=watch)
        return found

    def open(self, folder: Path, seconds: float) -> None:
        """Open the store of a folder ahead; that it takes long says nothing of what is asked then.

        Raises:
            ProblemError: as `call`.
        """
        self._exchanged((folder, self._writable, bool, (), {}, False), seconds, prompt=False)

    def _exchanged(self, message: object, seconds: float, *, prompt: bool, watch: WatchedCall | None = None) -> Any:
        with self._using:
            connection = self._connected()
            try:
                connection.send(message)
                if watch is None:
                    found, refusal = self._answer(connection, seconds, prompt=prompt)
                else:
                    found, refusal = self._watched_answer(connection, seconds, watch)
            except (EOFError, OSError) as error:
                self._drop()
                if watch is not None:
                    watch.check()
                raise ProblemError(503, _ended()) from error
            except ProblemError:
                self._drop()
                raise
        if refusal is not None:
            status, fields = refusal
            raise ProblemError(status, error_of(fields))
        return found

    def _answer(self, connection: Connection, seconds: float, *, prompt: bool) -> Any:
        if not self._answered(connection, seconds, prompt=prompt):
            raise TimeLimitError(503, _too_long(seconds))
        _, answer = connection.recv()
        return answer

    def _watched_answer(self, connection: Connection, seconds: float, watch: WatchedCall) -> Any:
        """The answer to a call, before which it tells how far it is."""
        assert self._child is not None  # noqa: S101 - it is connected
        until, settling = time.monotonic() + seconds, False
        with watch.done_by(self._child):
            while True:
                if not connection.poll(max(0.0, until - time.monotonic())):
                    if settling or watch.cancel():
                        raise TimeLimitError(503, _too_long(seconds))
                    until, settling = time.monotonic() + _SETTLING_S, True
                    continue
                kind, content = connection.recv()
                if kind == _ANSWER:
                    return content
                watch.hear(*content)
                if content[0] == SETTLED:
                    connection.send(None)  # else it does not go on

    def close(self) -> None:
        """End it, from any thread; whoever waits for an answer gets none, nor does whoever asks later."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._using:  # its pipe is closed when nobody reads it any more
            self._drop()

    def _answered(self, connection: Connection, seconds: float, *, prompt: bool) -> bool:
        """Wait for an answer; tell whether it has come."""
        if not prompt or seconds <= _PROMPT_S or connection.poll(_PROMPT_S):
            return connection.poll(seconds)
        if self._child is not None:
            self._child.give_way()
            self.spent = True
        return connection.poll(seconds - _PROMPT_S)

    def _connected(self) -> Connection:
        if self._closed:
            raise ProblemError(503, "the server ends", "ask the next one")
        if self._child is not None and self._child.runs:
            return self._child.connection
        self._drop()
        self._child = ChildProcess(partial(_words, prompt=self._prompt))
        own = self._child.connection
        try:
            if own.poll(_STARTING_S):
                own.recv()
                if self._first is None:
                    return own
                do, *args = self._first
                own.send((None, False, do, args, {}, False))
                if own.poll(_STARTING_S):
                    own.recv()  # what it refuses, it refuses whoever asks as well
                    return own
        except (EOFError, OSError):
            pass
        self._drop()
        raise ProblemError(503, _NOT_STARTED, "see whether the machine has memory left, and ask again")

    def _drop(self) -> None:
        if self._child is not None:
            self._child.close()
        self._child, self.spent = None, False


def main(number: int, *, prompt: bool = False) -> None:
    """Do what comes through the pipe; what the process runs.

    Args:
        number: of the file that is its end of the pipe.
        prompt: whether it gives way to others only when it is told to.
    """
    serve_parent(gives_way=not prompt)
    connection = Connection(number)
    connection.send(None)
    opened: LRUCache[tuple[Path | None, bool], ox.Store] = LRUCache(_OPENED)
    while True:
        if opened and not connection.poll(_IDLE_S):
            opened.clear()  # a copy may be gone by now, and its files take space as long as they are open
        try:
            folder, writable, do, args, named, tells = connection.recv()
        except (EOFError, ConnectionError):  # who asks has ended, or was killed before it had read an answer
            return
        refusal = found = None
        try:
            if (folder, writable) not in opened:
                opened[folder, writable] = _open(folder, writable=writable)
            found = do(opened[folder, writable], *((_Teller(connection),) if tells else ()), *args, **named)
        except ProblemError as problem:
            refusal = (problem.status, error_fields(problem.error))
        except KaicepError as error:
            refusal = (400, error_fields(error))
        except (OSError, MemoryError) as error:
            refusal = (503, error_fields(ArchiveError(f"the store does not answer: {error}", place=Place(str(folder)))))
        except RecursionError:
            refusal = (400, error_fields(ArchiveError("what is asked nests too deeply", hint="ask in several steps")))
        except Exception:  # noqa: BLE001 - the next request has nothing to do with it
            traceback.print_exc()
            refusal = (500, error_fields(KaicepError("the server has a defect", hint="its log says more; report it")))
        connection.send((_ANSWER, (found, refusal)))


def copied(store: ox.Store, target: Path, *, tidy: bool) -> None:
    """Copy a store to a new folder, by hard links.

    Args:
        store: copied.
        target: the folder.
        tidy: whether others beside it go: nobody reads them, since whoever did had the store open.
    """
    if tidy:
        shutil.rmtree(target.parent, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    store.backup(target)


class _Teller:
    """Tells whoever asks how far a call is, and waits for a word before anything changes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __call__(self, stage: str, share: float) -> None:
        try:
            self._connection.send((_TOLD, (stage, share)))
            if stage == SETTLED:
                self._connection.recv()
        except (EOFError, OSError) as error:  # who asks has ended
            raise SystemExit(1) from error


def _open(folder: Path | None, *, writable: bool) -> ox.Store:
    if folder is None:
        return ox.Store()
    if not writable:
        return ox.Store.read_only(str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    return ox.Store(folder)


def _words(number: int, *, prompt: bool = False) -> list[str]:
    return ["-c", f"from {__name__} import main; main({number}, prompt={prompt})"]


def _too_long(seconds: float) -> ArchiveError:
    return ArchiveError(f"no answer within {seconds:g} s", hint="ask for less, or let query_timeout be longer")


def _ended() -> ArchiveError:
    return ArchiveError(
        "the process that answers has ended: it needs too much memory, or was stopped",
        hint="ask for less at once; or in fewer brackets and operators, if that nests deep",
    )
