"""How far a running engine is, on one line: redrawn on a terminal, now and then a new one elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from ..pipeline.durability import Progress

__all__ = ["ProgressLine"]

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BEFORE_ESTIMATES = 2.0


class ProgressLine:
    """Shows the progress of an engine while it runs; call it with each `Progress`.

    Args:
        console: where to, usually the standard error.
        quiet: show nothing.

    Attributes:
        progress: what this run has done.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._behind: Callable[[], int] = lambda: 0
        self._quiet = quiet
        self._spinner = Spinner("dots", "waiting for events")
        self._live: Live | None = None
        self._began = time.monotonic()
        self._shown = self._began
        self.progress = Progress()
        self._most = self._began, 0  # when the store lacked most, and how much

    def watching(self, behind: Callable[[], int]) -> Self:
        """Show as lag also how many events the archive's store has still to take."""
        self._behind = behind
        return self

    def __enter__(self) -> Self:
        self._began = self._shown = time.monotonic()
        if not self._quiet and self._console.is_terminal:
            # Rows that go to the same terminal are to stand above the line; those that go elsewhere are left alone.
            to_terminal = sys.stdout.isatty()
            self._live = Live(self._spinner, console=self._console, transient=True, redirect_stdout=to_terminal)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Take the progress after a batch."""
        self.progress = progress.own or progress
        if self._live is not None:
            self._spinner.update(text=self.line())
        elif not self._quiet and time.monotonic() - self._shown >= _SECONDS_BETWEEN_LINES:
            self._shown = time.monotonic()
            self._console.print(self.line(), highlight=False, soft_wrap=True)

    def tell(self, line: str) -> None:
        """Show a line that stays."""
        if not self._quiet:
            self._console.print(line, highlight=False, soft_wrap=True)

    def line(self) -> str:
        """Return events, events per second, matches, lag."""
        parts = [
            f"{self.progress.records:,} events",
            f"{self.progress.records / max(self.seconds, 1e-3):,.0f} events/s",
            f"{self.progress.total_matches:,} matches",
        ]
        behind = self._behind()
        return " · ".join([*parts, f"archive {behind:,} events behind{self._left(behind)}"] if behind else parts)

    def _left(self, behind: int) -> str:
        """How long the store takes for what it lacks, at the pace since it lacked most; empty while nobody can tell."""
        now = time.monotonic()
        if behind >= self._most[1]:
            self._most = now, behind
        since, most = self._most
        if behind == most or now - since < _SECONDS_BEFORE_ESTIMATES:
            return ""
        return f", {timedelta(seconds=int(behind * (now - since) / (most - behind)))} left"

    @property
    def seconds(self) -> float:
        """Seconds since this run began."""
        return time.monotonic() - self._began
