"""What has been found out of the events of one batch, for all queries that ask the same of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from sys import intern
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...language import Span
from ...language.nodes import Expression
from .event_selection import Mask
from .keys import Codes, dictionary_of

__all__ = ["BatchVerdicts", "Standing", "condition_key"]


class Standing(NamedTuple):
    """Where the values of a dictionary of individuals stand among those of which something holds.

    Attributes:
        dictionary: the individuals.
        places: of each of them, -1: nowhere; the one behind the last is null's.
    """

    dictionary: pa.Array
    places: Codes


class BatchVerdicts:
    """Masks over all events of a batch, by what they say, and its columns of individuals.

    Two threads may find out the same at once; both are given what the first one found.
    """

    def __init__(self) -> None:
        self._masks: dict[Hashable, Mask] = {}
        self._places: dict[Hashable, Codes] = {}
        self._dictionaries: dict[str, pa.DictionaryArray] = {}
        self._indices: dict[str, Codes] = {}
        self._standings: dict[Hashable, Standing] = {}

    def mask(self, key: Hashable, find: Callable[[], Mask]) -> Mask:
        """Of which events something is true.

        Args:
            key: what; whoever asks with an equal one means the same.
            find: finds it out, where nobody has asked before.
        """
        found = self._masks.get(key)
        return self._masks.setdefault(key, find()) if found is None else found

    def places(self, key: Hashable, find: Callable[[], Mask]) -> Codes:
        """Where the events stand of which something is true; see `mask`."""
        found = self._places.get(key)
        return self._places.setdefault(key, np.flatnonzero(find())) if found is None else found

    def learn(self, masks: Mapping[Hashable, Mask]) -> None:
        """Take masks that were found together, before anybody has asked for them."""
        for key, mask in masks.items():
            self._masks.setdefault(key, mask)

    def learn_places(self, places: Mapping[Hashable, Codes]) -> None:
        """Take places that were found together, likewise."""
        for key, found in places.items():
            self._places.setdefault(key, found)

    def standing(self, key: Hashable, find: Callable[[], Standing]) -> Standing:
        """What verdicts know of a dictionary of this batch; see `mask`."""
        found = self._standings.get(key)
        return self._standings.setdefault(key, find()) if found is None else found

    def dictionary(self, events: pa.Table, name: str) -> pa.DictionaryArray:
        """A column of the events as one dictionary array."""
        found = self._dictionaries.get(name)
        return self._dictionaries.setdefault(name, dictionary_of(events.column(name))) if found is None else found

    def indices(self, events: pa.Table, name: str) -> Codes:
        """Which value of that dictionary each event has; null is the one behind the last."""
        found = self._indices.get(name)
        if found is None:
            array = self.dictionary(events, name)
            nulls = array.indices.fill_null(len(array.dictionary)) if array.null_count else array.indices
            indices = nulls.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
            found = self._indices.setdefault(name, indices)
        return found


def condition_key(condition: Expression) -> str:
    """What a condition says of an event, wherever it stands and whatever the event's variable is called.

    It is asked for with every batch: a text knows its hash.
    """
    return intern(repr(_key_of(condition)))


def _key_of(node: object) -> Hashable:
    match node:
        case tuple():
            return tuple(map(_key_of, node))
        case _ if is_dataclass(node):
            said = (getattr(node, f.name) for f in fields(node) if f.name != "variable")
            return type(node).__name__, *(_key_of(value) for value in said if not isinstance(value, Span))
        case _:
            return type(node).__name__, repr(node)
