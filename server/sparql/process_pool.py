"""Some processes for all who ask: no client has all of them, and nobody waits for ever."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Concatenate

import pyoxigraph as ox

from ...storage import Telling
from ..access import current_client
from ..problem import ProblemError
from .store_process import Found, Given, StoreProcess, TimeLimitError
from .watched_call import WatchedCall

__all__ = ["ProcessPool"]

_LOOK_S = 0.5
_OURSELVES = ""
"""The client that has a process which opens a store ahead."""


class ProcessPool:
    """A few processes that answer requests.

    There is one more than a client may have at once: what one asks, however long it takes, leaves room for others.
    Of those who wait, who has the fewest comes first, and then who came first.

    Args:
        size: how many a client may have.
        writable: see `StoreProcess`; then there is one, since a store is written by one process.
        first: likewise.
        prompt: likewise.
    """

    def __init__(
        self,
        size: int,
        *,
        writable: bool = False,
        first: tuple[Callable[..., object], *tuple[Any, ...]] | None = None,
        prompt: bool = False,
    ) -> None:
        self._share = size
        count = size if writable else size + 1
        self._all = [StoreProcess(writable=writable, first=first, prompt=prompt) for _ in range(count)]
        # The one that was at work last is asked first: those that nobody needs are not even begun.
        self._free = self._all[::-1]
        self._changed = threading.Condition()
        self._changing = threading.Lock()
        self._at_work: Counter[str] = Counter()
        self._waiting: dict[int, str] = {}
        self._came = 0

    def start(self) -> None:
        """Begin those that one client may have, so that it does not wait for that."""
        for process in self._all[: self._share]:
            process.start()

    def open_ahead(self, folder: Path, seconds: float) -> None:
        """Let processes open a store, one after the other, so that no request waits for that.

        Those that are at work, or not begun, open it when they are asked.

        Args:
            folder: of the store.
            seconds: that one may take.
        """
        for process in self._all:
            if process.runs and self._claimed(process):
                with suppress(ProblemError), self._lent(process, _OURSELVES):  # who asks is told
                    process.open(folder, seconds)

    def call(
        self,
        folder: Path | None,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """As `StoreProcess.call`, by the next process that is free.

        Raises:
            ProblemError: as there; or none is free in that time.
        """
        with self._taken(seconds) as process:
            return process.call(folder, seconds, do, *args, **named)

    def change(
        self,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """As `call`, without a store, of what asks a running engine to change something.

        One after the other: two that change at once would take each other for an engine.

        Args:
            seconds: that it may take, and wait for another one.
            do: as there.
            args: likewise.
            named: likewise.

        Raises:
            ProblemError: as there; or another change takes too long. Of what was given up nobody knows whether the
                engine does it yet.
        """
        if not self._changing.acquire(timeout=seconds):
            raise _busy()
        try:
            return self.call(None, seconds, do, *args, **named)
        except TimeLimitError as error:
            raise _uncertain(seconds) from error
        finally:
            self._changing.release()

    def call_watched(
        self,
        watch: WatchedCall,
        folder: Path | None,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Telling, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """As `StoreProcess.call_watched`, by the next process that is free.

        Raises:
            ProblemError: as there; or none is free in that time.
        """
        with self._taken(seconds) as process:
            return process.call_watched(watch, folder, seconds, do, *args, **named)

    def change_watched(
        self,
        watch: WatchedCall,
        seconds: float,
        do: Callable[Concatenate[ox.Store, Telling, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """As `change`, of what tells how far it is; it has told `SETTLED` before anything changes.

        Args:
            watch: hears that, and may give it up until then, and while it waits.
            seconds: as there.
            do: given an empty store, and what tells how far it is.
            args: likewise.
            named: likewise.

        Raises:
            ProblemError: as there; what was given up has not happened.
        """
        until = time.monotonic() + seconds
        while not self._changing.acquire(timeout=min(_LOOK_S, max(0.0, until - time.monotonic()))):
            if time.monotonic() >= until:
                raise _busy()
            watch.hear("waiting", 0.0)
        try:
            return self.call_watched(watch, None, seconds, do, *args, **named)
        except TimeLimitError as error:
            if not watch.cancelled:
                raise _uncertain(seconds) from error
            hint = "nothing has changed; let it say less, or let upload_timeout be longer"
            raise ProblemError(503, f"not done within {seconds:g} s", hint) from error
        finally:
            self._changing.release()

    def close(self) -> None:
        """End them; whoever waits for an answer gets none."""
        for process in self._all:
            process.close()

    @contextmanager
    def _taken(self, seconds: float) -> Iterator[StoreProcess]:
        client = current_client.get().name
        process = self._next(client, seconds)
        with self._lent(process, client):
            yield process

    @contextmanager
    def _lent(self, process: StoreProcess, client: str) -> Iterator[None]:
        """Give a process back when this ends, begun anew where it was ended."""
        try:
            yield
        except ProblemError:
            threading.Thread(target=self._renewed, args=(process, client), daemon=True).start()
            raise
        except BaseException:
            self._give_back(process, client)
            raise
        else:
            if process.spent:
                threading.Thread(target=self._renewed, args=(process, client), daemon=True).start()
            else:
                self._give_back(process, client)

    def _next(self, client: str, seconds: float) -> StoreProcess:
        """A process, when it is this client's turn."""
        with self._changed:
            self._came += 1
            place = self._came
            self._waiting[place] = client
            try:
                if not self._changed.wait_for(lambda: self._turn() == place, seconds):
                    said = f"no process that answers was free for {seconds:.0f} s"
                    hint = "ask again later, or let there be more workers"
                    raise ProblemError(503, said, hint, Retry_After="5")
                self._at_work[client] += 1
                return self._free.pop()
            finally:
                del self._waiting[place]
                self._changed.notify_all()

    def _claimed(self, process: StoreProcess) -> bool:
        """Take a certain process, if it is free."""
        with self._changed:
            if process not in self._free:
                return False
            self._free.remove(process)
            self._at_work[_OURSELVES] += 1
            return True

    def _turn(self) -> int | None:
        """The place of who comes next; `None`: nobody can."""
        able = [(self._at_work[c], place) for place, c in self._waiting.items() if self._at_work[c] < self._share]
        return min(able)[1] if able and self._free else None

    def _give_back(self, process: StoreProcess, client: str) -> None:
        with self._changed:
            self._free.append(process)
            self._at_work[client] -= 1
            if not self._at_work[client]:
                del self._at_work[client]
            self._changed.notify_all()

    def _renewed(self, process: StoreProcess, client: str) -> None:
        """Begin a process again that was ended, or gives way for good, and only then let others have it."""
        with suppress(ProblemError):
            process.start()
        self._give_back(process, client)


def _busy() -> ProblemError:
    return ProblemError(503, "another change is at work", "send it again later", Retry_After="5")


def _uncertain(seconds: float) -> ProblemError:
    said = f"not done within {seconds:g} s; a running engine may do it yet"
    return ProblemError(503, said, "see whether it has before you send it again; or let upload_timeout be longer")
