"""What the tuples of a stream hold: which names with how many values, of what range, and which individuals.

Counted while the events pass, by columns and per distinct value; nothing is asked of the knowledge.
Source: single-column profiling (Abedjan, Golab and Naumann, Profiling relational data, VLDB Journal 24, 2015).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch, EventShape

__all__ = ["AttributeProfile", "StreamProfile", "StreamProfiler"]

_MOST_IDS = 100_000
_ORDERED = (pa.types.is_floating, pa.types.is_integer, pa.types.is_timestamp)


@dataclass(frozen=True, slots=True)
class AttributeProfile:
    """The values of one declared attribute.

    Attributes:
        values: how many events have one.
        least: the smallest one, of numbers and time stamps; `None`: it has none.
        greatest: the greatest one, likewise.
    """

    values: int = 0
    least: object = None
    greatest: object = None

    def with_values(self, column: pa.ChunkedArray) -> AttributeProfile:
        """The same with the values of one more batch."""
        values = self.values + len(column) - column.null_count
        if not any(ordered(column.type) for ordered in _ORDERED):
            return AttributeProfile(values)
        found = pc.min_max(column)
        extremes = [v for v in (self.least, self.greatest, found["min"].as_py(), found["max"].as_py()) if v is not None]
        return AttributeProfile(values, min(extremes, default=None), max(extremes, default=None))  # type: ignore[type-var]  # numbers all, or moments


@dataclass(frozen=True, slots=True)
class StreamProfile:
    """What the tuples of one stream held.

    Attributes:
        events: tuples that are events, late ones and duplicates included.
        rejected: tuples that are none.
        names: raw name → how many tuples have a value of it.
        attributes: declared attribute → its values.
        individuals: attribute that stands for individuals → IRI → how many events have it.
        unnamed: likewise → raw value that has no IRI → how many events have it.
        uncounted: attributes of so many individuals that only the first were counted.
    """

    events: int = 0
    rejected: int = 0
    names: Mapping[str, int] = field(default_factory=dict)
    attributes: Mapping[str, AttributeProfile] = field(default_factory=dict)
    individuals: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unnamed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    uncounted: frozenset[str] = frozenset()


class StreamProfiler:
    """Counts what the batches of one stream hold.

    Args:
        shape: of the stream's events.
    """

    def __init__(self, shape: EventShape) -> None:
        self._events = self._rejected = 0
        self._names: Counter[str] = Counter()
        self._attributes = {a.name: AttributeProfile() for a in shape.attributes}
        linked = [(a.name, a.individual) for a in shape.attributes if a.individual is not None]
        self._individuals = {name: _ValueCount(column) for name, column in linked}
        self._unnamed = {name: _ValueCount(name) for name, _ in linked}

    def note(self, batch: AnnotatedBatch) -> None:
        """Count a batch of tuples; events that were annotated long ago are not counted."""
        if batch.names is None:
            return
        self._names.update(batch.names)
        self._events += batch.events.num_rows
        self._rejected += batch.rejected.num_rows
        if not batch.events.num_rows:
            return
        for name, profile in self._attributes.items():
            self._attributes[name] = profile.with_values(batch.events.column(name))
        for name, individuals in self._individuals.items():
            linked = batch.events.column(individuals.column)
            individuals.note(linked)
            raw = batch.events.column(name)
            if linked.null_count > raw.null_count:
                self._unnamed[name].note(raw.filter(pc.is_null(linked)))

    @property
    def profile(self) -> StreamProfile:
        """What has been counted so far."""
        return StreamProfile(
            self._events,
            self._rejected,
            dict(self._names),
            dict(self._attributes),
            {name: found.counts() for name, found in self._individuals.items()},
            {name: found.counts() for name, found in self._unnamed.items()},
            frozenset(name for name, found in self._individuals.items() if found.full),
        )


class _ValueCount:
    """How often each value of a column occurs; batches with the same dictionary add up as arrays."""

    def __init__(self, column: str) -> None:
        self.column = column
        self.full = False
        self._done: Counter[str] = Counter()
        self._values: pa.Array | None = None
        self._counts = np.zeros(0, np.int64)

    def note(self, column: pa.ChunkedArray) -> None:
        for chunk in column.chunks:
            array = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            if self._values is None or not array.dictionary.equals(self._values):
                self._settle()
                self._values, self._counts = array.dictionary, np.zeros(len(array.dictionary), np.int64)
            indices = array.indices.drop_null().to_numpy(zero_copy_only=False)
            self._counts += np.bincount(indices, minlength=len(self._counts))

    def counts(self) -> dict[str, int]:
        self._settle()
        return dict(self._done)

    def _settle(self) -> None:
        values, self._values = self._values, None
        if values is None:
            return
        occurring = np.flatnonzero(self._counts)
        for value, count in zip(values.take(pa.array(occurring)).to_pylist(), self._counts[occurring], strict=True):
            if len(self._done) < _MOST_IDS or str(value) in self._done:
                self._done[str(value)] += int(count)
            else:
                self.full = True
