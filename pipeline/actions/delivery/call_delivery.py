"""The way of calls from batches to their receivers: into the outbox with the batch, and out when it is durable."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ....settings import ActionSettings
from ..action import Action, place_of
from .call_sender import CallSender
from .failed_calls import FailedCall
from .lane_schedule import LaneSchedule
from .outbox import Lane, Outbox

__all__ = ["ActionCounts", "CallDelivery", "Receiver", "outbox_folder"]

_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who takes the calls of one action.

    Attributes:
        settings: of the action.
        make: gives an action, one for each thread.
    """

    settings: ActionSettings
    make: Callable[[], Action]


@dataclass(frozen=True, slots=True)
class ActionCounts:
    """How the calls of one action fare.

    Attributes:
        waiting: not handed on yet.
        failed: dead letters.
        sent: handed on since the engine began.
        reason: why one that waits was not taken; `None`: none was refused.
    """

    waiting: int = 0
    failed: int = 0
    sent: int = 0
    reason: str | None = None


class CallDelivery:
    """The calls of an engine.

    Args:
        folder: of the outbox.
        receivers: by name of the action.
        schema: of calls.
        clock: seconds, from any moment.

    Raises:
        ConfigError: a receiver lacks what it needs.
    """

    def __init__(
        self,
        folder: Path,
        receivers: Mapping[str, Receiver],
        schema: pa.Schema,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox, self._schema = Outbox(folder), schema
        self._senders: dict[str, CallSender] = {}
        for name, receiver in receivers.items():
            first = receiver.make()  # what is wrong is told now, and not with the first call
            batch = first.batch
            first.close()
            schedule = LaneSchedule(receiver.settings, batch)
            self._senders[name] = CallSender(name, schedule, receiver.make, self._outbox, clock)

    def put(self, batch: int, calls: pa.Table) -> None:
        """Keep the calls of a batch durably; they go out when it is released."""
        self._outbox.put(batch, calls)

    def put_apart(self, calls: pa.Table) -> None:
        """Keep calls durably that belong to no batch, and let them go out."""
        self._wake(self._outbox.put_apart(calls))

    def end(self) -> None:
        """The streams end: of what rules call then nothing goes out."""

    def release(self, batch: int) -> None:
        """Let the calls of all batches up to one go out."""
        self._wake(self._outbox.release(batch))

    def retry(self, action: str | None = None, rule: str | None = None) -> int:
        """Let dead letters go out again; how many.

        Args:
            action: whose; `None`: of all that there are.
            rule: whose; likewise.
        """
        before = self._outbox.failed.counts.total()

        def wanted(call: FailedCall) -> bool:
            return action in (None, call.action) and rule in (None, call.rule)

        self._wake(self._outbox.retry(wanted, self._schema))
        return before - self._outbox.failed.counts.total()

    def failed(self) -> list[FailedCall]:
        """The dead letters."""
        return self._outbox.failed.calls()

    def waiting(self) -> dict[Lane, int]:
        """By lane, how many calls wait."""
        return self._outbox.counts()

    def why(self, lane: Lane) -> str | None:
        """Why the next call of a lane was not taken; `None`: nobody knows of a reason."""
        return self._senders[lane.action].troubles().get(lane) if lane.action in self._senders else None

    def counts(self) -> dict[str, ActionCounts]:
        """By action, those that the project has no more among them, how its calls fare."""
        waiting: Counter[str] = Counter()
        for lane, count in self._outbox.counts().items():
            waiting[lane.action] += count
        failed = self._outbox.failed.counts.copy()
        reasons = {name: next(iter(sender.troubles().values()), None) for name, sender in list(self._senders.items())}
        names = dict.fromkeys([*self._senders, *waiting, *failed])
        return {
            name: ActionCounts(
                waiting[name],
                failed[name],
                self._senders[name].sent if name in self._senders else 0,
                reasons.get(name) if name in self._senders else _gone(name),
            )
            for name in names
        }

    def close(self, patience: float = _PATIENCE_S) -> None:
        """Hand on what is due, and end.

        Args:
            patience: how many seconds that may take; what is left goes out after the next start.
        """
        until = time.monotonic() + patience
        for sender in self._senders.values():
            sender.close(max(0.0, until - time.monotonic()))

    def _wake(self, lanes: list[Lane]) -> None:
        for lane in lanes:
            if lane.action in self._senders:
                self._senders[lane.action].wake(lane)


def outbox_folder(state: Path) -> Path:
    """Where the calls of the engine wait whose state lies in a folder."""
    return state / "outbox"


def _gone(name: str) -> str:
    """Why what waits for an action, or for a sink, does not go out."""
    return f"the project has no [{place_of(name)}] any more: what waits goes out when it is there again"
