"""How far a piece of work is that takes longer than people wait: a bar with an estimate, on terminals."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from datetime import timedelta
from types import TracebackType
from typing import Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.text import Text

__all__ = ["ProgressBar"]

SECONDS_OF_PATIENCE = 2.0
_SECONDS_BETWEEN_LOOKS = 1.0
_CLOSE_TO_THE_END = 0.99

Part = TypeVar("Part")


class ProgressBar:
    """Shows how far something is, on the standard error of a terminal, and leaves nothing behind.

    What is over within two seconds is not shown at all, nor is anything where no terminal is. It can be handed to
    whoever reports progress as a function: call it with what is done and, when that is known by then, with all.

    Args:
        console: where to, usually the standard error.
        what: is being done, such as `reading readings.csv`.
        total: how much there is to do, in any unit; `None`: nobody knows, so there is no estimate.
        quiet: show nothing.
        patience: seconds before anything is shown.

    Example:
        >>> with ProgressBar(Console(stderr=True), "counting", 3) as bar:
        ...     for number in range(3):
        ...         bar(number + 1)
    """

    def __init__(
        self,
        console: Console,
        what: str,
        total: float | None = None,
        *,
        quiet: bool = False,
        patience: float = SECONDS_OF_PATIENCE,
    ) -> None:
        self._shows = console.is_terminal and not quiet
        self._patience = patience
        # Rows that go to the same terminal stand above the bar; those that go elsewhere are left alone.
        to_terminal = sys.stdout.isatty()
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), _Estimate())
        self._progress = Progress(*columns, console=console, transient=True, redirect_stdout=to_terminal)
        self._task: TaskID = self._progress.add_task(what, total=total)
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()
        self._over = False
        self._measure: Callable[[], float] | None = None
        self._ended = threading.Event()

    def measuring(self, measure: Callable[[], float]) -> Self:
        """Ask for what is done, now and then, where nobody reports it: how large a copy has become."""
        self._measure = measure
        return self

    def computing(self, what: str, seconds: float | None) -> Self:
        """Say what this process computes from now on, and how long that is thought to take.

        Args:
            what: is computed.
            seconds: of processor time, so that the estimate holds where others compute as well; what takes longer stays
                close to its end. `None`: nobody knows.
        """
        self(0, seconds, what)
        if seconds is None:
            return self
        began, most = time.process_time(), seconds * _CLOSE_TO_THE_END
        return self.measuring(lambda: min(time.process_time() - began, most))

    def __enter__(self) -> Self:
        if self._shows and self._patience > 0:
            self._timer = threading.Timer(self._patience, self._show)
            self._timer.daemon = True
            self._timer.start()
        elif self._shows:
            self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._over = True
        self._ended.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._progress.live.is_started:
            self._progress.stop()

    def __call__(self, done: float, total: float | None = None, what: str | None = None) -> None:
        """Take how much is done; `total` and `what` are kept where they are not given."""
        self._progress.update(self._task, completed=done, total=total, description=what)

    @property
    def done(self) -> float:
        """How much is done, as far as it is known."""
        return self._progress.tasks[0].completed

    def over(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Go through parts, each of which is done when the next one is asked for."""
        total = len(parts) if isinstance(parts, Sized) else None
        for done, part in enumerate(parts):
            self(done, total)
            yield part

    def _show(self) -> None:
        with self._lock:
            if self._over:
                return
            self._progress.start()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            if self._measure is not None:
                self(self._measure())
            if self._ended.wait(_SECONDS_BETWEEN_LOOKS):
                return


class _Estimate(ProgressColumn):
    """How much of all is done and how long the rest takes; where nobody knows how much there is, how long it took."""

    def render(self, task: Task) -> Text:
        """Return `42% · 0:01:30 left`, or `0:00:07`."""
        gone = str(timedelta(seconds=int(task.elapsed or 0)))
        if task.total is None:
            return Text(gone)
        left = "" if task.time_remaining is None else f" · {timedelta(seconds=int(task.time_remaining))} left"
        return Text(f"{task.percentage:.0f}%{left}")
