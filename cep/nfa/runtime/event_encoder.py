"""What was released, as events of partitions: conditions on single events asked, their columns computed, by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import polars as pl

from ....expressions import Ints, column_expression, mask_of, terms, timestamps
from ....language.nodes import Query, ValueType, variables_of
from ...match import CandidateBuffer
from ...order import (
    BEFORE,
    EVENTS,
    NUMBER,
    PLACE,
    group_codes,
    numbered_events,
    physical,
    row_tuples,
    stable_order,
)
from ..compiler import PatternConditions, StopCondition, keys_of
from ..event_layout import Event

__all__ = ["EncodedEvents", "EventEncoder", "PartitionKey"]

PartitionKey = tuple[object, ...]
"""The values of PARTITION BY, and, of a partition of runs, the value in which JOINs make all events equal."""

PartitionEvents = tuple[PartitionKey, list[int], list[Event]]
"""The rows of one partition in total order: the places of variables, and the events' tuples."""

_Read = tuple[pl.DataFrame, Ints, list[Event]]
"""The candidates that can take part, the numbers of their events, and their tuples."""


@dataclass(frozen=True, slots=True)
class EncodedEvents:
    """Events by partition.

    Attributes:
        events: of variables that are matched, by partition.
        several: an event may have more than one row: of several variables, or of several solutions.
        absent: candidates of variables under NOT.
        free: candidates of variables that SEQ does not name.
        stops: events that may end repetitions, by the repetition's start or by the name of the test.
    """

    events: Sequence[PartitionEvents]
    several: bool
    absent: Mapping[tuple[str, PartitionKey], list[Event]]
    free: Mapping[tuple[str, PartitionKey], list[Event]]
    stops: Mapping[tuple[Any, PartitionKey], list[Event]]


class EventEncoder:
    """Reads what was released.

    Args:
        query: the query.
        conditions: the query's.
        variables: those that are matched.
        buffer: gets their candidates.
    """

    def __init__(
        self, query: Query, conditions: PatternConditions, variables: Sequence[str], buffer: CandidateBuffer
    ) -> None:
        self.next_number = 0
        self.variables = variables
        self._conditions, self._variables, self._buffer = conditions, variables, buffer
        scopes = conditions.scopes
        self._own = {
            v: [column_expression(join) for join in conditions.own if variables_of(join) == {v}] for v in variables
        }
        self._keys = keys_of(query, scopes, relaxed=conditions.relaxed, watched=conditions.watched)
        self._stops: dict[str, StopCondition] = {s.name: s for stops in conditions.stops.values() for s in stops}
        self._stream_of = {s.name: s.variable for s in self._stops.values()}

    @property
    def keyed(self) -> frozenset[str]:
        """The variables whose candidates are told apart by JOINs."""
        return frozenset(self._keys.joined)

    def read(self, released: Mapping[str, pl.DataFrame]) -> EncodedEvents:
        """Events by partition, in total order within each."""
        frames = {name: frame for name, frame in released.items() if name != EVENTS}
        numbers, before = self._numbers(released, frames)
        read: dict[str, _Read] = {}
        for name, frame in frames.items():
            read[name] = self._events(name, frame, numbers[name], before[name])
        free = self._conditions.free
        return EncodedEvents(
            *self._by_partition({v: read[v] for v in self._variables if v not in free}),
            self._apart({n: read[n] for n in self._conditions.scopes.negations if n in read}),
            self._apart({v: read[v] for v in free}),
            self._stop_events({name: read[name] for name in self._stops}),
        )

    def _numbers(
        self, released: Mapping[str, pl.DataFrame], frames: dict[str, pl.DataFrame]
    ) -> tuple[dict[str, Ints], dict[str, Ints]]:
        """The numbers of events and of those before them; where windows need them, places are put into the frames."""
        if EVENTS in released:
            return (
                {name: frame[NUMBER].to_numpy() for name, frame in frames.items()},
                {name: frame[BEFORE].to_numpy() for name, frame in frames.items()},
            )
        numbers, places = numbered_events(frames, self.next_number)
        self.next_number = 1 + max(int(n[-1]) for n in numbers.values() if len(n))
        if self._conditions.windowed:
            frames |= {name: frame.hstack([pl.Series(PLACE, places[name])]) for name, frame in frames.items()}
        return numbers, numbers

    def _events(self, name: str, frame: pl.DataFrame, number: Ints, before: Ints) -> _Read:
        """The candidates that can take part, and their tuples."""
        tests = self._own.get(name, []) if name not in self._stops else self._until(name)
        if tests:
            mask = mask_of(frame, tests)
            same = before is number
            frame, number = frame.filter(mask), number[mask]
            before = number if same else before[mask]
        first = 0
        if name in self._own:
            first = self._buffer.end(name)
            placed = frame if NUMBER in frame else frame.hstack([pl.Series(NUMBER, number)])
            self._buffer.add(name, placed)
        numbers = number.tolist()
        head = (timestamps(frame["_time"]).tolist(), numbers, numbers if before is number else before.tolist())
        values = self._conditions.layout.values(name)
        columns = [column.to_list() for column in frame.select(values).get_columns()] if values else []
        return frame, number, list(zip(*head, range(first, first + frame.height), *columns, strict=True))

    def _until(self, name: str) -> list[pl.Expr]:
        """Where a condition speaks of the event alone, whether it is true."""
        stop = self._stops[name]
        if not stop.alone:
            return []
        value = self._conditions.layout.values(name)[0]
        return [terms.truth(value) if stop.condition.test.type is ValueType.TERM else value]

    def _by_partition(self, read: Mapping[str, _Read]) -> tuple[list[PartitionEvents], bool]:
        """The rows of each partition in total order, and whether an event has several."""
        events = list(chain.from_iterable(own for _, _, own in read.values()))
        if not events:
            return [], False
        codes, keys = self._codes({v: frame for v, (frame, _, _) in read.items()}, joined=True)
        number = np.concatenate([number for _, number, _ in read.values()])
        order = np.argsort(number, kind="stable")
        several = bool((np.diff(number[order]) == 0).any())
        if len(keys) > 1:
            order = order[stable_order(codes[order])]
        ends = [0, *(np.flatnonzero(np.diff(codes[order])) + 1).tolist(), len(events)]
        key_of = codes[order][ends[:-1]].tolist()
        place_of = np.repeat([self._variables.index(v) for v in read], [len(own) for _, _, own in read.values()])
        places, ordered = place_of[order].tolist(), [events[i] for i in order.tolist()]
        slices = zip(key_of, ends, ends[1:], strict=False)
        return [(keys[key], places[begin:end], ordered[begin:end]) for key, begin, end in slices], several

    def _apart(self, read: Mapping[str, _Read]) -> dict[tuple[str, PartitionKey], list[Event]]:
        found: dict[tuple[str, PartitionKey], list[Event]] = {}
        for name, (frame, _, events) in read.items():
            if events:
                codes, keys = self._codes({name: frame}, joined=name in self._keys.joined)
                for code, event in zip(codes.tolist(), events, strict=True):
                    found.setdefault((name, keys[code]), []).append(event)
        return found

    def _stop_events(self, read: Mapping[str, _Read]) -> dict[tuple[Any, PartitionKey], list[Event]]:
        found: dict[tuple[Any, PartitionKey], list[Event]] = {}
        for name, (frame, _, events) in read.items():
            if events:
                stop = self._stops[name]
                codes, keys = self._codes({name: frame}, joined=False)
                common = all(s.alone for s in self._conditions.stops[stop.start])
                for code, event in zip(codes.tolist(), events, strict=True):
                    of: Any = stop.start if common else name
                    found.setdefault((of, keys[code]), []).append(event)
        for rows in found.values():
            rows.sort(key=itemgetter(1))
        return found

    def _codes(self, frames: Mapping[str, pl.DataFrame], *, joined: bool) -> tuple[Ints, dict[int, PartitionKey]]:
        """The partition of each row of some frames, one behind the other, and the key of each."""
        parts: list[list[pl.Series]] = []
        for name, frame in frames.items():
            variable = self._stream_of.get(name, name)
            columns = [frame[column] for column in self._keys.shared[variable]]
            if joined and self._keys.joined:
                columns += frame.select(self._keys.joined[variable].alias("key")).get_columns()
            parts.append([column.alias(str(i)) for i, column in enumerate(columns)])
        height = sum(frame.height for frame in frames.values())
        tail: PartitionKey = () if joined and self._keys.joined else ((None,) if joined else ())
        if not parts[0]:
            return np.zeros(height, dtype=np.int64), {0: tail}
        columns_of_all = [physical(pl.concat(list(column))) for column in zip(*parts, strict=True)]
        codes = group_codes(columns_of_all)
        _, first = np.unique(codes, return_index=True)
        values = row_tuples([column.gather(first) for column in columns_of_all])
        keys = {int(codes[i]): (*value, *tail) for i, value in zip(first, values, strict=True)}
        return codes, keys
