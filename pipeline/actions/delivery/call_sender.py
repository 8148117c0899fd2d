"""Hands the calls of one action on, on threads of its own: a receiver that is away holds up nobody else."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from ....errors import ConfigError
from ..action import Action, DeliveryError
from .lane_schedule import LaneSchedule
from .outbox import Lane, Outbox, Piece

__all__ = ["CallSender"]

_LOG = logging.getLogger("kaicep")
_DISK_PAUSE_S, _LACKING_PAUSE_S = 1.0, 10.0
_LAST_TRY_S = 1.0
"""So long the end waits for calls that are on their way: whoever begins next would send them a second time."""


class CallSender:
    """The threads of one action; they begin when calls wait for them.

    Args:
        name: of the action.
        schedule: whose turn it is.
        make: gives an action for a thread.
        outbox: where calls wait.
        clock: seconds, from any moment.
    """

    def __init__(
        self,
        name: str,
        schedule: LaneSchedule,
        make: Callable[[], Action],
        outbox: Outbox,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._schedule, self._make = name, schedule, make
        self._outbox, self._clock = outbox, clock
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._draining = self._stopping = False
        self._sent = 0

    @property
    def sent(self) -> int:
        """How many calls were handed on since the engine began."""
        return self._sent

    def wake(self, lane: Lane) -> None:
        """Note that calls wait in a lane."""
        with self._changed:
            self._schedule.wake(lane)
            if self._idle < self._schedule.ready and len(self._threads) < self._schedule.settings.concurrency:
                name = f"kaicep-action-{self._name}-{len(self._threads) + 1}"
                thread = threading.Thread(target=self._run, name=name, daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()

    def troubles(self) -> dict[Lane, str]:
        """By lane, why its next calls have not gone out yet."""
        with self._changed:
            return self._schedule.troubles()

    def close(self, patience: float) -> None:
        """Hand on what is due, and end; what is not handed on by then waits for the next start.

        Args:
            patience: how many seconds that may take.
        """
        with self._changed:
            self._draining = True
            self._changed.notify_all()
        self._join(patience)
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._join(_LAST_TRY_S)

    def _join(self, patience: float) -> None:
        until = time.monotonic() + patience
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _run(self) -> None:
        action: Action | None = None
        try:
            while (claimed := self._claimed()) is not None:
                try:
                    action = action or self._make()
                except ConfigError as error:  # a secret that was there when the engine began
                    with self._changed:
                        self._schedule.fail(claimed[0], self._clock(), error.message, _LACKING_PAUSE_S)
                else:
                    self._hand_on(action, *claimed)
        finally:
            if action is not None:
                action.close()

    def _claimed(self) -> tuple[Lane, int] | None:
        """The lane whose turn it is, once one is due; `None`: the thread is to end."""
        with self._changed:
            while not self._stopping:
                found = self._schedule.claim(self._clock())
                if found is not None:
                    return found
                if self._draining and not self._schedule.busy:
                    self._changed.notify_all()
                    return None
                self._idle += 1
                self._changed.wait(self._schedule.pause(self._clock()))
                self._idle -= 1
            return None

    def _hand_on(self, action: Action, lane: Lane, most: int) -> None:
        try:
            piece = self._outbox.take(lane, most)
            if piece is None:
                with self._changed:
                    self._schedule.rest(lane)
                    self._changed.notify_all()
                return
            self._send(action, piece)
        except OSError as error:  # of the disk: what passes
            _LOG.warning("actions: %s waits, since its calls cannot be read or noted: %s", self._name, error)
            with self._changed:
                self._schedule.fail(lane, self._clock(), f"the disk: {error.strerror}", _DISK_PAUSE_S)

    def _send(self, action: Action, piece: Piece) -> None:
        try:
            action.send(piece.calls)
        except DeliveryError as error:
            self._failed(piece, error)
        except Exception as error:  # noqa: BLE001 - a library's fault is no reason to hand nothing on any more
            self._failed(piece, DeliveryError(f"the action failed: {type(error).__name__}"))
        else:
            self._outbox.acknowledge(piece, durably=self._schedule.settings.asks_engine)
            with self._changed:
                if self._schedule.tries(piece.lane):
                    _LOG.info("actions: %s takes the calls of %s again", self._name, piece.lane.rule)
                self._sent += len(piece.calls)
                self._schedule.succeed(piece.lane)

    def _failed(self, piece: Piece, error: DeliveryError) -> None:
        lane, left = piece.lane, len(piece.calls) - error.delivered
        self._outbox.acknowledge(piece, error.delivered, durably=self._schedule.settings.asks_engine)
        with self._changed:
            self._sent += error.delivered
            if error.delivered and not error.hopeless:  # the call that failed is tried by itself first
                self._schedule.succeed(lane)
                return
            if error.refused and left > 1:
                self._schedule.narrow(lane, left)
                return
            if not error.hopeless and not self._schedule.fail(lane, self._clock(), error.reason, error.after):
                if self._schedule.tries(lane) <= 1:
                    _LOG.warning("actions: %s did not take a call of %s: %s", self._name, lane.rule, error.reason)
                return
            tries = self._schedule.tries(lane) + error.hopeless  # which are no failures to the schedule
        self._give_up(piece, error, tries)

    def _give_up(self, piece: Piece, error: DeliveryError, tries: int) -> None:
        """Make dead letters of what was tried for the last time; the lane goes on behind them."""
        count = 1 if error.hopeless else len(piece.calls)
        first = error.delivered
        self._outbox.fail(Piece(piece.lane, piece.calls[first:], piece.ends[first:]), count, error.reason, tries)
        _LOG.warning(
            "actions: %d call%s of %s for %s failed after %s: %s; `kaicep actions retry` lets %s go out again",
            *(count, "s" * (count != 1), piece.lane.rule, self._name),
            *(f"{tries} tries" if tries > 1 else "one try", error.reason, "them" if count > 1 else "it"),
        )
        with self._changed:
            self._schedule.succeed(piece.lane)
