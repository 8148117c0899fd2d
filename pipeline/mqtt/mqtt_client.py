"""Clients of MQTT: what the library is told of a broker, and what people are told of one that is away.

paho-mqtt is an extra, and loaded when a client is made.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import ConfigError, Place
from ...settings import found_secret
from ...settings.mqtt import BrokerSettings, CertificateSettings

if TYPE_CHECKING:
    from pathlib import Path

    from paho.mqtt.client import Client

__all__ = ["broker_client", "encrypt", "mqtt_library", "told_of", "unreachable"]

_LEAST_PAUSE_S, _MOST_PAUSE_S = 1, 30


def mqtt_library(key: str, file: str) -> Any:
    """The library.

    Args:
        key: of what needs it, in the project file.
        file: the name of that.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        from paho.mqtt import client  # noqa: PLC0415 - an extra, which other projects need not have
    except ImportError as error:
        raise ConfigError(
            f"{key}: the library of MQTT is not installed", place=Place(file), hint="pip install 'kaicep[mqtt]'"
        ) from error
    return client


def broker_client(
    settings: BrokerSettings, key: str, root: Path, file: str, *, client_id: str = "", manual: bool = False
) -> Client:
    """A client that is not connected yet; a connection that is lost is made again, after ever longer pauses.

    Args:
        settings: of the broker.
        key: of these in the project file, for messages.
        root: folder from which paths start.
        file: the name of the project file.
        client_id: by which the broker knows its session; none: it has none that lasts.
        manual: whether messages are acknowledged by whoever takes them, and not as they come.

    Raises:
        ConfigError: the library, a secret or a certificate is not there.
    """
    library = mqtt_library(key, file)
    latest = settings.version == "5"
    made: Client = library.Client(
        library.CallbackAPIVersion.VERSION2,
        client_id=client_id,
        protocol=library.MQTTv5 if latest else library.MQTTv311,
        clean_session=None if latest else not client_id,
        manual_ack=manual,
    )
    if settings.user is not None:
        user = found_secret(f"{key}.user", settings.user, root, file)
        password = settings.password
        made.username_pw_set(user, None if password is None else found_secret(f"{key}.password", password, root, file))
    if settings.encrypted:
        encrypt(made, settings, key, root, file)
    made.suppress_exceptions = True  # else what a callback raises ends the library's thread, and nobody hears of it
    made.reconnect_delay_set(_LEAST_PAUSE_S, _MOST_PAUSE_S)
    return made


def told_of(settings: BrokerSettings) -> Callable[[str], str]:
    """Makes of what is wrong a sentence about the broker.

    Args:
        settings: of the broker.
    """
    host, port = settings.address
    return lambda what: f"the broker {host}:{port} {what}"


def unreachable(error: BaseException | None) -> str:
    """Says of a broker that it cannot be reached, and why, as the network or its certificate has it.

    Args:
        error: that `connect` raised; in `on_connect_fail` it is that which the library handles, `sys.exception()`.
    """
    match error:
        case ssl.SSLCertVerificationError():
            why = f": its certificate is not trusted: {error.verify_message.removesuffix('.')}"
        case ssl.SSLError():
            why = f": no encrypted connection: {(error.reason or str(error)).replace('_', ' ').lower()}"
        case OSError():
            why = f": {error.strerror or error}"
        case _:
            why = ""
    return f"cannot be reached{why}"


def encrypt(made: Client, settings: CertificateSettings, key: str, root: Path, file: str) -> None:
    """Let a client's connections be encrypted, by the certificates that its settings name.

    Args:
        made: the client.
        settings: of its broker.
        key: of these in the project file, for messages.
        root: folder from which paths start.
        file: the name of the project file.

    Raises:
        ConfigError: a certificate cannot be read.
    """

    def path(name: str | None) -> str | None:
        return None if name is None else str(root / name)

    try:
        made.tls_set(path(settings.ca), path(settings.certificate), path(settings.key))
    except (OSError, ssl.SSLError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(
            f"{key}: certificates cannot be read: {said}",
            place=Place(file),
            hint="ca, certificate and key name files in PEM, relative to the project file",
        ) from error
