"""A row on its way to a receiver: a call whose body is the row itself, as files of JSON lines have it."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from ...actions import Action, ActionCall, DeliveryError

__all__ = ["RowAction", "RowCall"]


class RowCall(ActionCall):
    """A row; its `rule` is the query, its `arguments` are the row."""

    def to_json(self) -> str:
        """The row."""
        return self.arguments

    def values(self) -> Mapping[str, Any]:
        """What templates may name: the items of the row, and `query`."""
        return {"query": self.rule, **json.loads(self.arguments)}


class RowAction:
    """Hands rows on by an action; see `Action`.

    Args:
        inner: that does it.
        tries: so often a row may be refused by a receiver that is there.
        refused: by key of a row, how often that was; the threads of a sink have it in common, since each try of a row
            may be another one's.
    """

    def __init__(self, inner: Action, tries: int, refused: MutableMapping[str, int]) -> None:
        self.batch, self.needs = inner.batch, inner.needs
        self._inner, self._tries, self._refused = inner, tries, refused

    def check(self) -> None:
        """See `Action.check`."""
        self._inner.check()

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`; a receiver that is away is waited for, and a row that it refuses is not for ever."""
        try:
            self._inner.send([RowCall(*call) for call in calls])
        except DeliveryError as error:
            if error.refused and len(calls) - error.delivered == 1:
                first = calls[error.delivered].key
                tries = self._refused.pop(first, 0) + 1
                error.hopeless |= tries >= self._tries
                if not error.hopeless:
                    self._refused[first] = tries
            raise
        if self._refused:  # rows of other queries may have been refused meanwhile, and are not forgotten
            for call in calls:
                self._refused.pop(call.key, None)

    def close(self) -> None:
        """See `Action.close`."""
        self._inner.close()
