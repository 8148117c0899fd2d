"""How the project file names a Kafka: its servers, and options of its client library."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator

__all__ = ["KafkaOptions", "KafkaServers", "secret_option"]

_SERVERS = re.compile(r"[^\s,/:]+(?::\d{1,5})?(?:,[^\s,/:]+(?::\d{1,5})?)*")
_OURS = {
    "bootstrap.servers", "metadata.broker.list", "acks", "request.required.acks", "enable.idempotence",
    "enable.auto.commit", "enable.auto.offset.store", "auto.offset.reset", "enable.partition.eof", "transactional.id",
}  # fmt: skip
"""What decides whether records may be lost or come twice."""
_SECRET = re.compile(r"password|secret|\.pem$|sasl\.jaas\.config|token")


def secret_option(name: str) -> bool:
    """Whether the value of an option is a secret, by the option's name."""
    return _SECRET.search(name) is not None and not name.endswith(("certificate.pem", "ca.pem"))


def _servers(text: object) -> object:
    """`host:port`, or several with commas between them."""
    if isinstance(text, str) and _SERVERS.fullmatch(text) is None:
        message = f"'{text}' names no servers of Kafka; write some such as \"one.example:9092,two.example:9092\""
        raise ValueError(message)
    return text


def _options(options: object) -> object:
    """Options as texts; one that is a secret says where it is found."""
    if not isinstance(options, dict):
        return options
    texts = {}
    for name, value in options.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if name in _OURS:
            message = f"'{name}' is kaicep's to set; leave it out"
            raise ValueError(message)
        if secret_option(name) and not (text.startswith(("env:", "file:")) and not text.endswith(":")):
            message = (
                f'\'{name}\' is a secret, which does not stand in the project file; write "env:NAME" or "file:PATH"'
            )
            raise ValueError(message)
        texts[name] = text
    return texts


KafkaServers = Annotated[str, BeforeValidator(_servers)]
KafkaOptions = Annotated[dict[str, str], BeforeValidator(_options)]
"""By librdkafka's names, such as `security.protocol`; values may be `env:NAME` or `file:PATH`."""
