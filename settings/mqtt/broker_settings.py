"""A broker of MQTT: where it is, which version it is spoken to in, and as whom."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, model_validator

from ..secret import Secret
from .certificate_settings import CertificateSettings

__all__ = ["BrokerSettings", "MqttServer", "MqttVersion"]

_SERVER = re.compile(r"mqtts?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?/?")
_PORTS = {"mqtt": 1883, "mqtts": 8883}


def _server(text: object) -> object:
    """`mqtt://host:port`, or `mqtts://…` where the connection is encrypted."""
    if isinstance(text, str) and "@" in text:
        message = "a user and a password are keys of their own: user, password"
        raise ValueError(message)
    if isinstance(text, str) and _SERVER.fullmatch(text) is None:
        message = f"'{text}' is no broker of MQTT; write one such as \"mqtt://broker.example:1883\", or mqtts://…"
        raise ValueError(message)
    if isinstance(text, str) and (port := text.rstrip("/").rpartition(":")[2]).isdigit() and not 0 < int(port) < 2**16:
        message = f"'{text}' has no port: it is a number from 1 to 65535, and 1883 or 8883 unless it is written"
        raise ValueError(message)
    return text


MqttServer = Annotated[str, BeforeValidator(_server)]
MqttVersion = Literal["3.1.1", "5"]


class BrokerSettings(CertificateSettings):
    """A broker, and who its client is.

    Attributes:
        server: `mqtt://host:port`, or `mqtts://host:port`, which is encrypted; the port may be left out.
        version: of the protocol.
        user: at the broker; may be `env:NAME` or `file:PATH`.
        password: of the user.
    """

    _encrypted_by: ClassVar[str] = 'server = "mqtts://…"'

    server: MqttServer
    version: MqttVersion = "5"
    user: str | None = None
    password: Secret = None

    @model_validator(mode="after")
    def _has_a_user_with_a_password(self) -> Self:
        if self.password is not None and self.user is None:
            message = "a password is that of a user; write user, too"
            raise ValueError(message)
        return self

    @property
    def encrypted(self) -> bool:
        """Whether the connection is."""
        return self.server.startswith("mqtts:")

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.server)
        return parts.hostname or "", parts.port or _PORTS[parts.scheme]
