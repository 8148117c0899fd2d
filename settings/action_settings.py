"""`[actions.NAME]`: what CALL hands calls on to, one kind each, and how patiently."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from .kafka_options import KafkaOptions, KafkaServers
from .mqtt import CertificateSettings, MqttVersion
from .quantities import Duration
from .secret import Secret
from .strict_table import Table

__all__ = [
    "ACTION_KINDS",
    "ActionName",
    "ActionSettings",
    "KafkaSettings",
    "MailSettings",
    "MqttSettings",
    "SubmitSettings",
    "WebhookSettings",
    "names_a_server",
]

ENGINE_KINDS = ("knowledge", "submit", "withdraw")
"""What the engine itself does; the key in the project file has `kaicep:` before it."""

ACTION_KINDS = ("webhook", "mqtt", "kafka", "mail", "command", "python", *ENGINE_KINDS)
"""The fields that say of which kind an action is."""

_FUNCTION = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def _address(text: object) -> object:
    """An URL of HTTP, without a password, or where it is found."""
    if isinstance(text, str) and text.startswith(("env:", "file:")):
        return text
    if isinstance(text, str) and "@" in re.split(r"[/?#]", text.partition("//")[2])[0]:
        message = 'an address with a password is a secret; write "env:NAME" or "file:PATH" for where it is found'
        raise ValueError(message)
    if not isinstance(text, str) or not re.match(r"https?://[^/?#]", text) or not names_a_server(text):
        message = f'{text!r} is no address of a webhook; write one such as "https://ops.example/alarm"'
        raise ValueError(message)
    return text


def names_a_server(url: str) -> bool:
    """Whether a URL names a host, and a port that there may be."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the port, or of brackets
        return False


def _function(text: object) -> object:
    if isinstance(text, str) and _FUNCTION.fullmatch(text) is None:
        message = f"'{text}' names no function; write module:function, such as \"alarms:raise_alarm\""
        raise ValueError(message)
    return text


def _name(text: object) -> object:
    if isinstance(text, str) and re.fullmatch(r"[A-Za-z_]\w*", text) is None:
        message = f"'{text}' is no name of an action; write letters, digits and _, as CALL names it"
        raise ValueError(message)
    return text


def _host(text: object) -> object:
    """`host` or `host:port`."""
    if isinstance(text, str) and re.fullmatch(r"[\w.-]+(?::\d{1,5})?", text) is None:
        message = f"'{text}' is no host; write one such as \"mail.example:587\""
        raise ValueError(message)
    if isinstance(text, str) and not names_a_server(f"//{text}"):
        message = f"'{text}' has no port: it is a number from 1 to 65535"
        raise ValueError(message)
    return text


def _topic(text: object) -> object:
    """A template of a topic of MQTT that something may be published to."""
    if isinstance(text, str) and (not text or re.search(r"[+#\0]", text)):
        message = f"'{text}' is no topic to publish to: it is not empty, and + and # are for those who listen"
        raise ValueError(message)
    return text


def _query_name(text: object) -> object:
    """A name with arguments in it."""
    if isinstance(text, str) and re.fullmatch(r"[A-Za-z_](?:\w|\{[A-Za-z_]\w*\})*", text) is None:
        message = f"'{text}' is no name of a query; write letters, digits, _ and {{name}} for an argument"
        raise ValueError(message)
    return text


ActionName = Annotated[str, BeforeValidator(_name)]
QueryName = Annotated[str, BeforeValidator(_query_name)]
Host = Annotated[str, BeforeValidator(_host)]


class WebhookSettings(Table):
    """`webhook = { … }`: calls are posted as JSON.

    Attributes:
        url: where to; `env:NAME` or `file:PATH` where the address is a secret.
        headers: of each request; values may be `env:NAME` or `file:PATH`.
        secret: signs requests as Standard Webhooks do; `None`: they are not signed.
        batch: 1: a request for each call; more: requests with arrays of up to so many.
    """

    url: Annotated[str, BeforeValidator(_address)]
    headers: dict[str, str] = Field(default_factory=dict)
    secret: Secret = None
    batch: int = Field(default=1, ge=1)


class MqttSettings(CertificateSettings):
    """`mqtt = { … }`: calls are published as JSON, with QoS 1.

    Attributes:
        broker: host, or host:port.
        topic: template.
        retain: whether the broker keeps the last one of a topic.
        tls: whether the connection is encrypted.
        version: of the protocol; only in 5 does a broker say that it refuses what is published.
        user: at the broker; may be `env:NAME` or `file:PATH`.
        password: of the user.
    """

    _encrypted_by: ClassVar[str] = "tls = true"

    broker: Host
    topic: Annotated[str, BeforeValidator(_topic)]
    retain: bool = False
    tls: bool = False
    version: MqttVersion = "5"
    user: str | None = None
    password: Secret = None

    @property
    def encrypted(self) -> bool:
        """Whether the connection is."""
        return self.tls


class KafkaSettings(Table):
    """`kafka = { … }`: calls are records of a topic, as JSON.

    Attributes:
        servers: `host:port`, or several with commas between them.
        topic: template.
        key: template of the records' key; `None`: they have none.
        options: of librdkafka, such as `security.protocol`.
    """

    servers: KafkaServers
    topic: str = Field(min_length=1)
    key: str | None = None
    options: KafkaOptions = Field(default_factory=dict)


class MailSettings(Table):
    """`mail = { … }`: a mail for each call.

    Attributes:
        smtp: the server, host or host:port.
        sender: address.
        to: addresses.
        subject: template.
        body: template; `None`: the arguments, a line each.
        tls: how the connection is encrypted.
        user: at the server; `None`: it asks nobody who they are.
        password: of the user.
    """

    smtp: Host
    sender: str
    to: tuple[str, ...] = Field(min_length=1)
    subject: str
    body: str | None = None
    tls: Literal["none", "starttls", "ssl"] = "none"
    user: str | None = None
    password: Secret = None


class SubmitSettings(Table):
    """`"kaicep:submit" = { … }`: a query is submitted.

    Attributes:
        name: template of its name.
        query: template of its text.
    """

    name: QueryName
    query: str


class ActionSettings(Table):
    """`[actions.NAME]`.

    Attributes:
        webhook: one of the kinds, of which each action has one.
        mqtt: another.
        kafka: another.
        mail: another.
        command: another: a program and templates of its arguments.
        python: another: `module:function`.
        knowledge: another, `kaicep:knowledge`: template of a SPARQL update of the module `rules`.
        submit: another, `kaicep:submit`: a query.
        withdraw: another, `kaicep:withdraw`: template of a query's name.
        timeout: how long the receiver may take for what it is given at once.
        tries: a call that has failed so often is a dead letter.
        backoff: how long after the first failure a call is tried again; twice as long after each further one.
        backoff_limit: the longest of these pauses.
        concurrency: of how many rules calls are under way at the same time.
    """

    webhook: WebhookSettings | None = None
    mqtt: MqttSettings | None = None
    kafka: KafkaSettings | None = None
    mail: MailSettings | None = None
    command: tuple[str, ...] | None = Field(default=None, min_length=1)
    python: Annotated[str | None, BeforeValidator(_function)] = None
    knowledge: str | None = Field(default=None, alias="kaicep:knowledge")
    submit: SubmitSettings | None = Field(default=None, alias="kaicep:submit")
    withdraw: QueryName | None = Field(default=None, alias="kaicep:withdraw")
    timeout: Duration = timedelta(seconds=10)
    tries: int = Field(default=10, ge=1)
    backoff: Duration = timedelta(seconds=1)
    backoff_limit: Duration = timedelta(minutes=5)
    concurrency: int = Field(default=4, ge=1)

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        kinds = [_key(name) for name in ACTION_KINDS if getattr(self, name) is not None]
        if len(kinds) != 1:
            said = f"it has {' and '.join(kinds)}" if kinds else "it has none"
            message = f"an action is of one kind, {said}; write one of {', '.join(map(_key, ACTION_KINDS))}"
            raise ValueError(message)
        return self

    @property
    def kind(self) -> str:
        """Which of `ACTION_KINDS` it is."""
        return next(name for name in ACTION_KINDS if getattr(self, name) is not None)

    @property
    def asks_engine(self) -> bool:
        """Whether the engine itself does it."""
        return any(getattr(self, name) is not None for name in ENGINE_KINDS)

    @property
    def key(self) -> str:
        """How the project file writes the kind."""
        return _key(self.kind)


def _key(kind: str) -> str:
    return f"kaicep:{kind}" if kind in ENGINE_KINDS else kind
