"""The subscriptions of a project, as long as its streams are read, or until all that waits has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ....config import Settings
from ....errors import PipelineError
from ....settings.mqtt import MqttSourceSettings
from ...mqtt import broker_client
from .message_inbox import MessageInbox
from .subscription import Subscription

if TYPE_CHECKING:
    from paho.mqtt.client import Client

__all__ = ["StreamSubscriptions"]

_POLL_S = 0.02
_QUIET_S = 1.0
_PATIENCE_S = 10.0


class StreamSubscriptions:
    """Takes the messages of all streams that have topics of MQTT, on threads of this process.

    Args:
        settings: of a project; perhaps none of its streams has.
        say: takes a line of the log.

    Raises:
        ConfigError: the library, a secret or a certificate is not there.
    """

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._subscriptions: dict[str, Subscription] = {}
        for name, stream in settings.streams.items():
            if stream.source is None or (source := stream.source.mqtt) is None:
                continue
            make = partial(_client, settings, name, source)
            make("kaicep")  # what is not there is said at once
            self._subscriptions[name] = Subscription(
                name, source, MessageInbox(settings.path(stream.source.path or name)), make, say
            )

    @property
    def streams(self) -> Collection[str]:
        """Which streams have such topics."""
        return self._subscriptions.keys()

    @property
    def troubles(self) -> Mapping[str, str]:
        """By stream, why no messages come."""
        found = {name: one.trouble for name, one in self._subscriptions.items()}
        return {name: trouble for name, trouble in found.items() if trouble is not None}

    def start(self) -> None:
        """Begin to take messages."""
        for one in self._subscriptions.values():
            one.start()

    def stop(self) -> None:
        """Take no more; what came is in the folders that the streams read."""
        for one in self._subscriptions.values():
            one.stop()

    def take_waiting(self) -> None:
        """Take what the brokers have kept: until nothing has come for a second.

        Raises:
            PipelineError: a broker is away, or refuses.
        """
        if not self._subscriptions:
            return
        self.start()
        try:
            for name, one in self._subscriptions.items():
                _await_quiet(name, one)
        finally:
            self.stop()


def _client(settings: Settings, stream: str, source: MqttSourceSettings, client_id: str) -> Client:
    key = f"streams.{stream}.source.mqtt"
    return broker_client(source, key, settings.root, settings.file, client_id=client_id, manual=True)


def _await_quiet(name: str, one: Subscription) -> None:
    until = time.monotonic() + _PATIENCE_S
    while not one.ready:
        if time.monotonic() > until:
            hint = "see to the broker; without --once the engine waits for it"
            raise PipelineError(f"streams.{name}: {one.trouble or 'its broker does not answer'}", hint=hint)
        time.sleep(_POLL_S)
    while not one.idle or time.monotonic() < one.latest + _QUIET_S:
        if one.trouble is not None and not one.ready:
            raise PipelineError(f"streams.{name}: {one.trouble}", hint="run it again: nothing is lost")
        time.sleep(_POLL_S)
