"""The windows of a set as bytes, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from ...language.nodes import ChangeKind
from ..partitions import NO_END
from .context_changes import Change, HeldWindow, PartitionHistory, Turn

__all__ = ["HistorySnapshot"]


@dataclass(frozen=True, slots=True)
class HistorySnapshot:
    """What is known of a set at a moment.

    Attributes:
        partitions: those in which something has changed.
        ended: see `ContextHistory`; `turns`: likewise.
        waiting: changes that are not made yet.
    """

    partitions: Mapping[str, PartitionHistory]
    ended: Sequence[HeldWindow]
    turns: Sequence[Turn]
    waiting: Sequence[Change]

    def encoded(self) -> bytes:
        """It as JSON."""
        partitions = {
            key: {"keys": list(p.keys), "free": p.free, "windows": [asdict(w) for w in p.windows]}
            for key, p in self.partitions.items()
        }
        state = {
            "partitions": partitions,
            "ended": [asdict(w) for w in self.ended],
            "turns": [asdict(turn) for turn in self.turns],
            "waiting": [asdict(change) for change in self.waiting],
        }
        return json.dumps(state, default=_plain).encode()

    @classmethod
    def decoded(cls, state: bytes) -> HistorySnapshot:
        """What was encoded."""
        content: dict[str, Any] = json.loads(state, object_hook=_meant)
        return cls(
            {key: _partition(known) for key, known in content["partitions"].items()},
            [HeldWindow(**window) for window in content["ended"]],
            [Turn(**{**turn, "keys": tuple(turn["keys"])}) for turn in content["turns"]],
            [_change(change) for change in content["waiting"]],
        )


def _partition(content: dict[str, Any]) -> PartitionHistory:
    windows = [HeldWindow(**window) for window in content["windows"]]
    ended, left = (tuple(w for w in windows if (w.until == NO_END) is is_open) for is_open in (False, True))
    return PartitionHistory(tuple(content["keys"]), ended, left, content["free"])


def _change(content: dict[str, Any]) -> Change:
    lists = {name: tuple(content[name]) for name in ("keys", "windows", "order")}
    return Change(**{**content, **lists, "kind": ChangeKind(content["kind"])})


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return {"$moment": value.isoformat()}
    if isinstance(value, timedelta):
        return {"$microseconds": value // timedelta(microseconds=1)}
    raise TypeError(type(value).__name__)


def _meant(content: dict[str, Any]) -> Any:
    if "$moment" in content:
        return datetime.fromisoformat(content["$moment"])
    if "$microseconds" in content:
        return timedelta(microseconds=content["$microseconds"])
    return content
