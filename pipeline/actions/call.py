"""Calls as actions are given them: rows of the table that rules make, each with the key of its idempotency."""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple
from urllib.parse import quote

import polars as pl
import pyarrow as pa

__all__ = ["ActionCall", "calls_of"]


class ActionCall(NamedTuple):
    """One call.

    Attributes:
        rule: that makes it.
        id: which of its calls this is, whenever and however often it is handed on.
        action: whom it is for.
        time: of the row that it is made for, as ISO 8601.
        arguments: a JSON object.
    """

    rule: str
    id: str
    action: str
    time: str
    arguments: str

    @property
    def key(self) -> str:
        """The key of idempotency: a receiver that has done a call of this key need not do it again."""
        return f"{quote(self.rule, safe='')}/{quote(self.id, safe='')}"

    def to_json(self) -> str:
        """All of it as a JSON object."""
        return (
            f'{{"_id":{encode_basestring_ascii(self.id)},"rule":{encode_basestring_ascii(self.rule)},'
            f'"action":{encode_basestring_ascii(self.action)},"_time":"{self.time}","arguments":{self.arguments}}}'
        )

    def values(self) -> Mapping[str, Any]:
        """What templates may name: the arguments, and `rule`, `action`, `_id` and `_time`."""
        own = {"rule": self.rule, "action": self.action, "_id": self.id, "_time": self.time}
        return {**own, **json.loads(self.arguments)}


def calls_of(table: pa.Table) -> list[ActionCall]:
    """The calls of a table with the columns rule, _id, action, _time and arguments."""
    frame = pl.DataFrame(table.select(["rule", "_id", "action", "_time", "arguments"]))
    texts = frame.with_columns(pl.col("_time").dt.to_string("%Y-%m-%dT%H:%M:%S%.fZ"))
    return [ActionCall(*row) for row in texts.iter_rows()]
