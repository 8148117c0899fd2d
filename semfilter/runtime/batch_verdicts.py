"""What has been found out of the events of one batch, for all queries that ask the same of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass

import pyarrow as pa

from ...language import Span
from ...language.nodes import Expression
from .event_selection import Mask
from .keys import dictionary_of

__all__ = ["BatchVerdicts", "condition_key"]


class BatchVerdicts:
    """Masks over all events of a batch, by what they say, and its columns of individuals.

    Two threads may find out the same at once; both are given what the first one found.
    """

    def __init__(self) -> None:
        self._masks: dict[Hashable, Mask] = {}
        self._dictionaries: dict[str, pa.DictionaryArray] = {}

    def mask(self, key: Hashable, find: Callable[[], Mask]) -> Mask:
        """Of which events something is true.

        Args:
            key: what; whoever asks with an equal one means the same.
            find: finds it out, where nobody has asked before.
        """
        found = self._masks.get(key)
        return self._masks.setdefault(key, find()) if found is None else found

    def dictionary(self, events: pa.Table, name: str) -> pa.DictionaryArray:
        """A column of the events as one dictionary array."""
        found = self._dictionaries.get(name)
        return self._dictionaries.setdefault(name, dictionary_of(events.column(name))) if found is None else found


def condition_key(condition: Expression) -> Hashable:
    """What a condition says of an event, wherever it stands and whatever the event's variable is called."""
    return _key_of(condition)


def _key_of(node: object) -> Hashable:
    match node:
        case tuple():
            return tuple(map(_key_of, node))
        case _ if is_dataclass(node):
            said = (getattr(node, f.name) for f in fields(node) if f.name != "variable")
            return type(node).__name__, *(_key_of(value) for value in said if not isinstance(value, Span))
        case _:
            return type(node).__name__, repr(node)
