"""When the calls of which lane go out: in turns, each after the pause that its last failure asks for.

It knows no clock but what it is told. Pauses double from try to try, up to a limit, without jitter: who waits knows
until when.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass, field

from ....settings import ActionSettings
from .outbox import Lane

__all__ = ["LaneSchedule"]

_LONGEST_S = 3600.0
"""No receiver is left alone for longer, whatever it asks."""


@dataclass(slots=True)
class _State:
    """One lane.

    Attributes:
        size: so many calls go out at once.
        tries: failures since the last call that went out.
        at_work: somebody hands its calls on.
        again: calls have come meanwhile.
        due: until when it pauses; `None`: it does not.
        reason: of the last failure.
    """

    size: int
    tries: int = 0
    at_work: bool = False
    again: bool = False
    due: float | None = None
    reason: str = ""


@dataclass
class LaneSchedule:
    """The lanes of one action.

    Args:
        settings: of the action.
        batch: so many calls it takes at once.
    """

    settings: ActionSettings
    batch: int
    _states: dict[Lane, _State] = field(default_factory=dict)
    _ready: deque[Lane] = field(default_factory=deque)
    _pausing: list[tuple[float, Lane]] = field(default_factory=list)
    _closed_until: float = 0.0

    def wake(self, lane: Lane) -> None:
        """Note that calls wait in a lane."""
        state = self._states.get(lane)
        if state is None:
            self._states[lane] = _State(self.batch)
            self._ready.append(lane)
        else:
            state.again = True

    def claim(self, now: float) -> tuple[Lane, int] | None:
        """The lane whose turn it is, and how many of its calls; `None`: none is due, or all are at work."""
        while self._pausing and self._pausing[0][0] <= now:
            lane = heapq.heappop(self._pausing)[1]
            self._states[lane].due = None
            self._ready.append(lane)
        if not self._ready or now < self._closed_until:
            return None
        lane = self._ready.popleft()
        state = self._states[lane]
        state.at_work, state.again = True, False
        return lane, state.size

    def pause(self, now: float) -> float | None:
        """Seconds until a lane may be due though nothing else happens; `None`: none will be."""
        moments = [self._pausing[0][0]] if self._pausing else []
        if self._ready:
            moments.append(now)
        return max(0.0, max(min(moments), self._closed_until) - now) if moments else None

    @property
    def ready(self) -> int:
        """How many lanes wait for their turn only."""
        return len(self._ready)

    @property
    def busy(self) -> bool:
        """Whether calls are being handed on, or could be at once."""
        return bool(self._ready) or any(state.at_work for state in self._states.values())

    def rest(self, lane: Lane) -> None:
        """Note that nothing waits in a lane that was claimed; what has come meanwhile is its next turn."""
        if self._states[lane].again:
            self._go_on(lane)
        else:
            del self._states[lane]

    def succeed(self, lane: Lane) -> None:
        """Note that what was claimed went out."""
        state = self._states[lane]
        state.tries, state.reason, state.size = 0, "", min(self.batch, 2 * state.size)
        self._go_on(lane)

    def narrow(self, lane: Lane, count: int) -> None:
        """Let half as many calls go out at once: one of them is refused, and the others need not wait for it."""
        self._states[lane].size = max(1, count // 2)
        self._go_on(lane)

    def fail(self, lane: Lane, now: float, reason: str, after: float | None = None) -> bool:
        """Note that what was claimed did not go out.

        Args:
            lane: the lane.
            now: the time.
            reason: why.
            after: seconds that the receiver asks to be left alone; then it is no failure, and no lane goes on before.

        Returns:
            Whether these were all tries that there are: the call is to be given up.
        """
        state = self._states[lane]
        state.reason = reason
        limit = self.settings.backoff_limit.total_seconds()
        if after is None:
            state.tries += 1
            if state.tries >= self.settings.tries:
                return True
            pause = min(limit, self.settings.backoff.total_seconds() * 2.0 ** (state.tries - 1))
        else:
            pause = min(after, _LONGEST_S)
            self._closed_until = max(self._closed_until, now + pause)
        state.at_work, state.due = False, now + pause
        heapq.heappush(self._pausing, (now + pause, lane))
        return False

    def tries(self, lane: Lane) -> int:
        """How often the next calls of a lane have failed."""
        return self._states[lane].tries if lane in self._states else 0

    def troubles(self) -> dict[Lane, str]:
        """By lane, why its next calls have not gone out yet."""
        return {lane: state.reason for lane, state in list(self._states.items()) if state.reason}

    def _go_on(self, lane: Lane) -> None:
        state = self._states[lane]
        state.at_work = state.again = False
        self._ready.append(lane)
