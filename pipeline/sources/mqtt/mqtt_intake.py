"""The messages of a project's streams, taken by a process of its own as long as the streams are read.

A client takes a message in many small steps. In the process that runs batches, each step would wait until a batch lets
go of the interpreter, and batches would wait for them (docs/decisions/363).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping

from ....config import Settings
from ....storage import ChildProcess
from .intake_process import words
from .stream_subscriptions import StreamSubscriptions

__all__ = ["MqttIntake"]

_LOG = logging.getLogger("kaicep")
_LOOK_S = 0.1
_AGAIN_S = 2.0
_PATIENCE_S = 10.0
"""To keep what has come takes less; a process that hangs is killed then, and the broker sends again what it had."""


class MqttIntake:
    """Takes the messages of all streams that have topics of MQTT.

    Args:
        settings: of a project; perhaps none of its streams has.
        say: takes a line of the log.

    Raises:
        ConfigError: the library, a secret or a certificate is not there.
    """

    def __init__(self, settings: Settings, say: Callable[[str], None] = _LOG.info) -> None:
        self._settings, self._say = settings, say
        self._here = StreamSubscriptions(settings, say)
        self._troubles = self._here.troubles
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="kaicep-mqtt", daemon=True)

    @property
    def troubles(self) -> Mapping[str, str]:
        """By stream, why no messages come."""
        return self._troubles

    def start(self) -> None:
        """Begin to take messages."""
        if self._here.streams:
            self._thread.start()

    def stop(self) -> None:
        """Take no more; what came is in the folders that the streams read."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def take_waiting(self) -> None:
        """Take what the brokers have kept: until nothing has come for a second.

        Raises:
            PipelineError: a broker is away, or refuses.
        """
        self._here.take_waiting()

    def _watch(self) -> None:
        while not self._stopping.is_set():
            try:
                self._run()
                reason = "it has ended"
            except OSError as error:
                reason = str(error)
            if not self._stopping.is_set():
                reason = f"the process that takes messages of MQTT is begun again: {reason}"
                self._say(reason)
                self._troubles = dict.fromkeys(self._here.streams, reason)
                self._stopping.wait(_AGAIN_S)

    def _run(self) -> None:
        """Begin the process, and hear what it says until it ends.

        Raises:
            OSError: the system begins none.
        """
        child = ChildProcess(words)
        try:
            child.connection.send(self._settings)
            until: float | None = None
            while until is None or time.monotonic() < until:
                if until is None and self._stopping.is_set():
                    child.connection.send(None)
                    until = time.monotonic() + _PATIENCE_S
                if child.connection.poll(_LOOK_S):
                    self._hear(child.connection.recv())
        except (EOFError, ConnectionError):
            pass
        finally:
            child.close()

    def _hear(self, told: str | Mapping[str, str]) -> None:
        if isinstance(told, str):
            self._say(told)
        else:
            self._troubles = told
