"""`[server]`: where `kaicep serve` listens, who may ask, and what one request may cost."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from .quantities import Duration, parse_size
from .strict_table import Table

__all__ = ["DatasetSettings", "Role", "ServerSettings", "TokenSettings"]

Role = Literal["read", "submit", "admin"]
"""What a token allows: to ask; to hand in queries and events as well; all of that, and to change what is known."""

_ORIGIN = re.compile(r"\*|https?://[^/\s?#@]+")
_DATASET = re.compile(r"[A-Za-z0-9][\w-]*")


def _token(text: object) -> object:
    """Where a token is found, or its digest; what is a token itself is refused, and not repeated."""
    if isinstance(text, str) and re.fullmatch(r"(?:env|file):.+|sha256:[0-9a-f]{64}", text):
        return text
    message = (
        'tokens do not stand in the project file; write "env:NAME" or "file:PATH" for where this one is found, '
        'or "sha256:…", its digest in 64 hex digits'
    )
    raise ValueError(message)


def _origin(text: object) -> object:
    """The origin of a page, `https://host:port`, or `*` for any."""
    if isinstance(text, str) and _ORIGIN.fullmatch(text) is None:
        message = f'\'{text}\' is no origin; write one such as "https://dashboard.example", without a path, or "*"'
        raise ValueError(message)
    return text


def _dataset(text: object) -> object:
    if isinstance(text, str) and _DATASET.fullmatch(text) is None:
        message = f"'{text}' is no name of a dataset; write letters, digits, _ and -, as they stand in its address"
        raise ValueError(message)
    return text


Size = Annotated[int, BeforeValidator(parse_size)]


class TokenSettings(Table):
    """`[server.tokens.NAME]`: who has this token.

    Attributes:
        role: what it allows.
        token: where it is found, `env:NAME` or `file:PATH`, or its digest, `sha256:…`.
    """

    role: Role = "read"
    token: Annotated[str, BeforeValidator(_token)]


class DatasetSettings(Table):
    """`[server.datasets.NAME]`: graphs that people upload, beside the archive and apart from what queries know.

    Attributes:
        path: its folder; `None`: `var/datasets/NAME`.
        update: whether SPARQL Update may change it.
    """

    path: str | None = None
    update: bool = False


class ServerSettings(Table):
    """`[server]`: the HTTP server.

    Attributes:
        host: that it listens at; any other than this machine's own demands tokens.
        port: likewise; 0: one that is free.
        hosts: other names that it is asked by, where it listens at this machine only: a proxy's.
        tokens: who may ask, by name; none: whoever is on this machine may do all.
        cors: origins of pages whose scripts may ask.
        certificate: file with the certificate for TLS, and those that lead to it.
        key: file with its key; `None`: it is in the same file.
        workers: processes that answer SPARQL over the archive.
        query_timeout: how long SPARQL may take.
        result_size: bytes that an answer may have.
        body_size: bytes that a request may have.
        body_timeout: how long a request may take to arrive.
        upload_timeout: how long what is uploaded may take to be read, reasoned over and taken in.
        job_timeout: how long a job may take, such as a query that is tried on the archive.
        connections: that may be open at once; who comes then is told to come again.
        request_rate: requests a second that may come with one token, over some seconds.
        backlog: bytes of posted events that may wait for the engine, of each stream; then no more are taken.
        datasets: by name.
    """

    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    hosts: tuple[str, ...] = ()
    tokens: dict[str, TokenSettings] = Field(default_factory=dict)
    cors: tuple[Annotated[str, BeforeValidator(_origin)], ...] = ()
    certificate: str | None = None
    key: str | None = None
    workers: int = Field(default=2, ge=1)
    query_timeout: Duration = timedelta(seconds=30)
    result_size: Size = 100 * 10**6
    body_size: Size = 20 * 10**6
    body_timeout: Duration = timedelta(seconds=30)
    upload_timeout: Duration = timedelta(minutes=5)
    job_timeout: Duration = timedelta(minutes=10)
    connections: int = Field(default=1_000, ge=1)
    request_rate: int = Field(default=200, ge=1)
    backlog: Size = 100 * 10**6
    datasets: dict[Annotated[str, BeforeValidator(_dataset)], DatasetSettings] = Field(default_factory=dict)
