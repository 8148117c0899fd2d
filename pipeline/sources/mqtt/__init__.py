"""Topics of MQTT as streams: messages in, durable before they are acknowledged; raw records of their files out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .message_inbox import MessageInbox
from .mqtt_intake import MqttIntake
from .subscription import Subscription

if TYPE_CHECKING:
    from .mqtt_source import MqttSource

__all__ = ["MessageInbox", "MqttIntake", "MqttSource", "Subscription"]


def __getattr__(name: str) -> object:
    """What reads files, on first use: whoever takes messages needs none of it."""
    if name == "MqttSource":
        from .mqtt_source import MqttSource  # noqa: PLC0415 - see above

        return MqttSource
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
