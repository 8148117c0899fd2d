"""How far a running engine is, on one line: redrawn on a terminal, now and then a new one elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from ..pipeline.durability import Progress
from ..pipeline.monitoring import BatchAtWork

__all__ = ["ProgressLine"]

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BEFORE_ESTIMATES = 2.0


class ProgressLine:
    """Shows the progress of an engine while it runs; call it with each `Progress`.

    Args:
        console: where to, usually the standard error.
        quiet: show nothing.
        notices: show the lines that stay all the same.

    Attributes:
        progress: what this run has done.
    """

    def __init__(self, console: Console, *, quiet: bool = False, notices: bool = False) -> None:
        self._console = console
        self._behind: Callable[[], int] = lambda: 0
        self._quiet = quiet
        self._tells = notices or not quiet
        self._spinner = Spinner("dots", "waiting for events")
        self._pasts: Callable[[], Mapping[str, float]] = dict
        self._begun: dict[str, tuple[float, float]] = {}  # of the past of a query, when it was first seen, and how far
        self._at_work: Callable[[], BatchAtWork | None] = lambda: None
        self._live: Live | None = None
        self._began = time.monotonic()
        self._shown = self._began
        self.progress = Progress()
        self._counted = ""
        self._most = self._began, 0  # when the store lacked most, and how much

    def watching(
        self,
        behind: Callable[[], int],
        pasts: Callable[[], Mapping[str, float]] | None = None,
        at_work: Callable[[], BatchAtWork | None] | None = None,
    ) -> Self:
        """Show as lag also what the archive's store has still to take, how far pasts are, and a batch that takes long.

        Args:
            behind: gives how many events the store lacks.
            pasts: gives by query how much of its past lies behind, from 0 to 1; asked several times a second.
            at_work: gives the batch that is being done, likewise.
        """
        self._behind = behind
        self._at_work = at_work or self._at_work
        self._pasts = pasts or self._pasts
        return self

    def __enter__(self) -> Self:
        self._began = self._shown = time.monotonic()
        if not self._quiet and self._console.is_terminal:
            # Rows that go to the same terminal are to stand above the line; those that go elsewhere are left alone.
            to_terminal = sys.stdout.isatty()
            self._live = Live(
                console=self._console, transient=True, redirect_stdout=to_terminal, get_renderable=self._shown_now
            )
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
        self._counted = self._counts()
        if self._live is None and not self._quiet and time.monotonic() - self._shown >= _SECONDS_BETWEEN_LINES:
            self._shown = time.monotonic()
            self._console.print(self.line(), highlight=False, soft_wrap=True)

    def tell(self, line: str) -> None:
        """Show a line that stays."""
        if self._tells:
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def line(self) -> str:
        """Return events, events per second, matches, lag, and how far queries are with their past."""
        return " · ".join([self._counts(), *self._backfills()])

    def _counts(self) -> str:
        parts = [
            f"{self.progress.records:,} events",
            f"{self.progress.records / max(self.seconds, 1e-3):,.0f} events/s",
            f"{self.progress.total_matches:,} matches",
        ]
        behind = self._behind()
        return " · ".join([*parts, f"archive {behind:,} events behind{self._left(behind)}"] if behind else parts)

    def _shown_now(self) -> Spinner:
        """What a terminal shows between batches: their counts as the last one left them."""
        batch = self._at_work()
        slow = [] if batch is None or batch.seconds < _SECONDS_BEFORE_ESTIMATES else [str(batch)]
        parts = [*([self._counted] if self._counted else []), *slow, *self._backfills()]
        self._spinner.update(text=" · ".join(parts) or "waiting for events")
        return self._spinner

    def _backfills(self) -> Iterator[str]:
        """How far queries are in their past, and how long that takes at their pace since they were first seen."""
        now = time.monotonic()
        for label, done in self._pasts().items():
            since, before = self._begun.setdefault(label, (now, done))
            seconds = (1 - done) * (now - since) / (done - before) if done > before else None
            left = "" if seconds is None else f", {timedelta(seconds=int(seconds))} left"
            yield f"past of {label} {done:.0%}{left}"

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
