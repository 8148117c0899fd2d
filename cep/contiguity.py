"""Which event is the very next one: places in the total order of all events of the streams in FROM (LANGUAGE, Links).

`=>` looks at events that are candidates of no variable, and an operator is given candidates only. A query that needs it
(`sees_all_events`) is given all events of its streams too, under the name `EVENTS`, and its kernel then finds in every
released frame, that of `EVENTS` included, the columns

- `NUMBER`: the event's number in the total order of all events;
- `BEFORE`: the number of the event right before it, under PARTITION BY in its partition; −1: there is none, or none
  that a match could still hold.

So `b` is the very next event after `a` exactly when `b.BEFORE = a.NUMBER`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import polars as pl
import pyarrow as pa

from ..errors import OperatorError
from ..language.pattern import CorrelationWindow, Element, Group, Link, Negation
from ..language.pattern import Sequence as Links
from ..language.query import Policy, Query
from ..language.walking import walk_pattern
from .candidates import empty_candidates, number_events
from .frames import Ints, micros, timestamps
from .keys import group_codes, stable_order
from .time_bounds import UNBOUNDED

__all__ = ["BEFORE", "EVENTS", "NUMBER", "Contiguity", "all_events", "event_columns", "sees_all_events"]

EVENTS = "*"
NUMBER, BEFORE = "#number", "#before"
_PARTITION = "#partition"


def sees_all_events(query: Query) -> bool:
    """Whether the query asks for the very next event: `=>` between elements or in a quantifier."""
    if query.pattern is None:
        return False
    if query.policy is Policy.STRICT:
        return True
    for part in walk_pattern(query.pattern):
        quantifier = part.quantifier if isinstance(part, Element | Group) else None
        if quantifier is not None and quantifier.link is Link.STRICT:
            return True
        if isinstance(part, Links) and Link.STRICT in part.links:
            return True
    return False


def all_events(query: Query, streams: Mapping[str, pl.DataFrame]) -> pa.Table:
    """What `Operator.process` takes under `EVENTS`: the events of all streams in FROM.

    Args:
        query: the query.
        streams: by stream name, its events within WITHIN; columns `_time`, `_id` and those of PARTITION BY
            (`event_columns`). A stream without events may be missing.

    Returns:
        Columns `_time`, `_id` and one for each attribute of PARTITION BY.
    """
    named = event_columns(query)
    frames = [_renamed(streams[stream], names) for stream, names in named.items() if stream in streams]
    events = pl.concat(frames or [_no_events(query)])
    return events.to_arrow(compat_level=pl.CompatLevel.newest())


def _renamed(events: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    of_partition = (events[name].alias(f"{_PARTITION}{i}") for i, name in enumerate(names[2:]))
    return pl.DataFrame([*(events[name] for name in names[:2]), *of_partition])


def event_columns(query: Query) -> dict[str, list[str]]:
    """By stream, the columns of its events that contiguity depends on: `_time`, `_id`, those of PARTITION BY."""
    return {
        source.stream.name: ["_time", "_id", *(dict(columns)[source.variable] for columns in query.partition_by)]
        for source in query.sources
    }


def _no_events(query: Query) -> pl.DataFrame:
    source = query.sources[0]
    return _renamed(empty_candidates(source), event_columns(query)[source.stream.name])


@dataclass(slots=True)
class Contiguity:
    """Numbers all events, and finds the one before each.

    Attributes:
        next: the number of the next event.
        last: of PARTITION BY, the last event of each partition: its values, `_time`, `NUMBER`.
    """

    query: Query
    next: int = 0
    last: pl.DataFrame = field(init=False)
    empty: pl.DataFrame = field(init=False)
    _horizon: int = field(init=False)

    def __post_init__(self) -> None:
        self.empty = _no_events(self.query)
        self.last = self.empty.drop("_id").hstack([pl.Series(NUMBER, [], dtype=pl.Int64)])
        self._horizon = _horizon(self.query)

    def place(self, released: Mapping[str, pl.DataFrame], watermark: int) -> dict[str, pl.DataFrame]:
        """The released frames, each in total order, `EVENTS` among them, with the columns `NUMBER` and `BEFORE`.

        Raises:
            OperatorError: a candidate is none of the events.
        """
        if not any(frame.height for frame in released.values()):
            nothing = [pl.Series(name, [], dtype=pl.Int64) for name in (NUMBER, BEFORE)]
            return {name: frame.hstack(nothing) for name, frame in released.items()}
        first = self.next
        numbers = number_events(released, first)
        self.next = 1 + max(int(of_frame[-1]) for of_frame in numbers.values() if len(of_frame))
        if self.next - first != released[EVENTS].height:
            raise OperatorError(
                "this query contains '=>', and a candidate is not among the events of its streams",
                hint="pass all_events(query, …) under EVENTS",
            )
        before = self._before(released[EVENTS], numbers[EVENTS])
        self._forget(watermark)
        return {
            name: frame.hstack([pl.Series(NUMBER, numbers[name]), pl.Series(BEFORE, before[numbers[name] - first])])
            for name, frame in released.items()
        }

    def _before(self, events: pl.DataFrame, number: Ints) -> Ints:
        """The number of the event before each, and the new `last`."""
        if not self.query.partition_by:
            return number - 1
        new = events.hstack([pl.Series(NUMBER, number)])
        numbered = self.last.vstack(pl.DataFrame([new[name] for name in self.last.columns]))
        codes = group_codes([numbered[name] for name in numbered.columns if name.startswith(_PARTITION)])
        order = stable_order(codes)
        sorted_codes, numbers = codes[order], numbered[NUMBER].to_numpy()
        neighbours = np.flatnonzero(sorted_codes[1:] == sorted_codes[:-1])
        before = np.full(len(codes), -1, dtype=np.int64)
        before[order[neighbours + 1]] = numbers[order[neighbours]]
        is_last = np.ones(len(codes), dtype=bool)
        is_last[order[neighbours]] = False
        self.last = numbered[np.flatnonzero(is_last)]
        return before[-len(number) :]

    def _forget(self, watermark: int) -> None:
        kept = timestamps(self.last["_time"]) >= watermark - self._horizon
        if not kept.all():
            self.last = self.last[np.flatnonzero(kept)]


def _horizon(query: Query) -> int:
    """More microseconds than any two neighbours of a match lie apart: windows tie all its events together."""
    widths = [w.width for w in query.windows if isinstance(w, CorrelationWindow)]
    widths += [] if query.retention is None else [query.retention]
    if not widths:
        return UNBOUNDED
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    waits = [part.duration for part in parts if isinstance(part, Negation) and part.duration is not None]
    return micros(sum([*widths, *waits], timedelta(microseconds=1)))
