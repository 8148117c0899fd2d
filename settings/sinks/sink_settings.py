"""`[sinks.NAME]`: where the rows of queries go, one kind each."""

from __future__ import annotations

import re
from datetime import timedelta
from os.path import normpath
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ..action_settings import ActionSettings, KafkaSettings, MqttSettings, WebhookSettings
from ..quantities import Duration
from ..strict_table import Table

__all__ = ["SINK_KINDS", "SinkSettings", "SqlSettings"]

SINK_KINDS = ("jsonl", "parquet", "console", "webhook", "mqtt", "kafka", "sql")
"""The fields that say of which kind a sink is."""

_HERE = frozenset({"jsonl", "parquet", "console"})
"""Kinds that one thread writes: what was written last when it was killed is known by its place."""

_EVER = 2**31
_WITH_PASSWORD = re.compile(r"://[^/@:]*:[^@]*@|[?&]\w*password=")
"""As SQLAlchemy reads URLs: a password may have slashes."""


def _database(text: object) -> object:
    """An URL of SQLAlchemy without a password, or where it is found."""
    if isinstance(text, str) and text.startswith(("env:", "file:")):
        return text
    if isinstance(text, str) and _WITH_PASSWORD.search(text):
        message = 'an URL with a password is a secret; write "env:NAME" or "file:PATH" for where it is found'
        raise ValueError(message)
    if not isinstance(text, str) or re.match(r"[a-z][\w+]*://", text) is None:
        message = (
            f'{text!r} is no database; write its URL, such as "sqlite:///rows.db" or "postgresql+psycopg://host/db"'
        )
        raise ValueError(message)
    return text


class SqlSettings(Table):
    """`sql = { … }`: a table of a database, a row for each match.

    Attributes:
        url: of the database, as SQLAlchemy writes it; `env:NAME` or `file:PATH` where it has a password.
        table: its name, in which `{query}` is the name of the query; made where it is not there.
    """

    url: Annotated[str, BeforeValidator(_database)]
    table: str = Field(default="{query}", min_length=1)


class SinkSettings(Table):
    """`[sinks.NAME]`.

    Attributes:
        queries: by name; none: all.
        jsonl: one of the kinds, of which each sink has one: a file, whose name may have `{query}` in it.
        parquet: another: a folder.
        console: another: the standard output.
        webhook: another.
        mqtt: another.
        kafka: another.
        sql: another.
        timeout: how long the receiver may take for what it is given at once.
        tries: a row that the receiver has refused by itself so often is a dead letter.
        backoff: how long after the first failure it is tried again; twice as long after each further one.
        backoff_limit: the longest of these pauses.
    """

    queries: tuple[str, ...] = ()
    jsonl: str | None = Field(default=None, min_length=1)
    parquet: str | None = Field(default=None, min_length=1)
    console: Literal[True] | None = None
    webhook: WebhookSettings | None = None
    mqtt: MqttSettings | None = None
    kafka: KafkaSettings | None = None
    sql: SqlSettings | None = None
    timeout: Duration = timedelta(seconds=10)
    tries: int = Field(default=10, ge=1)
    backoff: Duration = timedelta(seconds=1)
    backoff_limit: Duration = timedelta(minutes=1)

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> Self:
        kinds = [name for name in SINK_KINDS if getattr(self, name) is not None]
        if len(kinds) != 1:
            said = f"it has {' and '.join(kinds)}" if kinds else "it has none"
            message = f"a sink is of one kind, {said}; write one of {', '.join(SINK_KINDS)}"
            raise ValueError(message)
        return self

    @property
    def kind(self) -> str:
        """Which of `SINK_KINDS` it is."""
        return next(name for name in SINK_KINDS if getattr(self, name) is not None)

    def shares_file(self, other: SinkSettings) -> bool:
        """Whether another one writes a file that this one writes: each would take it for its own.

        Args:
            other: of the same project.
        """
        if self.kind != other.kind or self.kind not in ("jsonl", "parquet"):
            return False
        own, its = (normpath(str(getattr(one, one.kind))) for one in (self, other))
        apart = self.kind == "parquet" or "{query}" in own
        together = not self.queries or not other.queries or not set(self.queries).isdisjoint(other.queries)
        return own == its and (together or not apart)

    @property
    def delivery(self) -> ActionSettings:
        """How its rows are delivered, as calls of an action that never gives up a receiver that is away."""
        return ActionSettings.model_construct(
            timeout=self.timeout,
            tries=_EVER,
            backoff=self.backoff,
            backoff_limit=self.backoff_limit,
            concurrency=1 if self.kind in _HERE else ActionSettings.model_fields["concurrency"].default,
        )
