"""How fast counts have grown lately."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping

__all__ = ["RecentRates"]


class RecentRates:
    """Counts that only grow, sampled now and then, as rates over a sliding window.

    Args:
        window: in seconds.
        now: the seconds of a clock that only goes on.
    """

    def __init__(self, window: float = 60.0, now: Callable[[], float] = time.monotonic) -> None:
        self._window, self._now = window, now
        self._samples: deque[tuple[float, Mapping[str, float]]] = deque()

    def note(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Take a sample.

        Args:
            counts: by name; one that is new, or smaller than it was, began at nothing.

        Returns:
            By name, how much it has grown per second since the oldest sample of the window; nothing at the first one.
        """
        now = self._now()
        self._samples.append((now, counts))
        while len(self._samples) > 2 and self._samples[1][0] <= now - self._window:
            self._samples.popleft()
        began, before = self._samples[0]
        seconds = now - began
        if not seconds:
            return {}
        return {name: _grown(before.get(name, 0.0), count) / seconds for name, count in counts.items()}


def _grown(before: float, count: float) -> float:
    return count - before if count >= before else count
