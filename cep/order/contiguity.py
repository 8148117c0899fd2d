"""Which event is the very next one: places in the total order of all events in FROM (docs/semantics.md 3.7).

`=>` looks at events that are candidates of no variable, and an operator is given candidates only. A query that needs it
(`sees_all_events`) is given all events of its streams too, under the name `EVENTS`, and its kernel then finds in the
released frames of candidates the columns

- `NUMBER`: the event's number in the total order of all events;
- `BEFORE`: the number of the event right before it, under PARTITION BY in its partition; −1: there is none, or none
  that a match could still hold, or wait behind.

So `b` is the very next event after `a` exactly when `b.BEFORE = a.NUMBER`. Under `EVENTS` it finds
`_time` and `BEFORE` of the events that come right after a candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import polars as pl
import pyarrow as pa

from ...errors import OperatorError
from ...expressions import Ints, frame_of, micros, timestamps
from ...language.nodes import CorrelationWindow, Element, Group, Link, Negation, Policy, Query, Timer, walk_pattern
from ...language.nodes import Sequence as Links
from ..partitions import WINDOW_COLUMN, is_windowed, partitioned_by_window
from .candidates import PLACE, empty_candidates, numbered_events
from .difference_bounds import UNBOUNDED
from .join_keys import group_codes, row_tuples
from .lead_lag import neighbours, rows_among, union_of

__all__ = ["BEFORE", "EVENTS", "NUMBER", "OF_WINDOW", "Contiguity", "all_events", "event_columns", "sees_all_events"]

EVENTS = "*"
NUMBER, BEFORE = "#number", "#before"
_PARTITION = "#partition"
OF_WINDOW = f"{_PARTITION}0"
"""The column of `all_events` that says the context window, the first of the partitions."""


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


def all_events(query: Query, streams: Mapping[str, pa.Table]) -> pa.Table:
    """What `Operator.process` takes under `EVENTS`: the events of all streams in FROM.

    Args:
        query: the query.
        streams: by stream name, its events within WITHIN; columns `_time`, `_id` and those of PARTITION BY
            (`event_columns`); of a query in contexts, those that lie in a context window, once for each. A stream
            without events may be missing.

    Returns:
        Columns `_time`, `_id` and one for each attribute of PARTITION BY.
    """
    tables = [_renamed(streams[name], columns) for name, columns in event_columns(query).items() if name in streams]
    if len(tables) == 1:
        return tables[0]
    frames = [frame_of(table, table.column_names) for table in tables]
    return pl.concat(frames or [_no_events(query)]).to_arrow(compat_level=pl.CompatLevel.newest())


def _renamed(events: pa.Table, names: Sequence[str]) -> pa.Table:
    of_partition = (f"{_PARTITION}{i}" for i in range(len(names) - 2))
    return events.select(list(names)).rename_columns([*names[:2], *of_partition])


def event_columns(query: Query) -> dict[str, list[str]]:
    """By stream, the columns of its events that contiguity depends on: `_time`, `_id`, those of PARTITION BY."""
    partitions = partitioned_by_window(query).partition_by
    return {
        source.stream.name: ["_time", "_id", *(dict(columns)[source.variable] for columns in partitions)]
        for source in query.sources
    }


def _no_events(query: Query) -> pl.DataFrame:
    source = partitioned_by_window(query).sources[0]
    events = _renamed(empty_candidates(source).to_arrow(), event_columns(query)[source.stream.name])
    return frame_of(events, events.column_names)


@dataclass(slots=True)
class Contiguity:
    """Numbers all events, and finds the neighbours of candidates.

    Attributes:
        next: the number of the next event.
        last: of PARTITION BY, the last event of each partition: its values, `_time`, `NUMBER`.
    """

    query: Query
    next: int = 0
    last: pl.DataFrame = field(init=False)
    empty: pl.DataFrame = field(init=False)
    _horizon: int = field(init=False)
    _windowed: bool = field(init=False)

    def __post_init__(self) -> None:
        self._windowed = is_windowed(self.query)
        self.empty = _no_events(self.query)
        self.last = self.empty.drop("_id").hstack([pl.Series(NUMBER, [], dtype=pl.Int64)])
        self._horizon = _horizon(self.query)

    def last_of(self, partition: tuple[object, ...]) -> int:
        """The number of the last event of a partition, which no candidate may be; −1: there is none."""
        if not self.query.partition_by:
            return self.next - 1
        names = [name for name in self.last.columns if name.startswith(_PARTITION)]
        keys = row_tuples([self.last[name] for name in names])
        return next((n for key, n in zip(keys, self.last[NUMBER], strict=True) if key == partition), -1)

    def place(self, released: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Candidates with the columns `NUMBER` and `BEFORE`, and the events that follow candidates.

        Args:
            released: frames in total order, `EVENTS` among them.

        Returns:
            The frames of the candidates; of `EVENTS` the columns `_time` and `BEFORE` of at least those that come right
            after a candidate of now or of earlier.

        Raises:
            OperatorError: a candidate is none of the events.
        """
        events = released[EVENTS]
        rows = {name: self._rows(events, frame) for name, frame in released.items() if name != EVENTS}
        asked = union_of(list(rows.values()), events.height)
        before, following = self._neighbours(events, asked)
        placed = {EVENTS: following}
        for name, of_frame in rows.items():
            number, of_rows = pl.Series(NUMBER, self.next + of_frame), before[np.searchsorted(asked, of_frame)]
            placed[name] = released[name].hstack([number, pl.Series(BEFORE, of_rows)])
        if self._windowed:
            frames = {name: placed[name] for name in rows}
            _, places = numbered_events(frames, self.next)  # ascending, for candidates are no more than events
            placed |= {name: frame.hstack([pl.Series(PLACE, places[name])]) for name, frame in frames.items()}
        self.next += events.height
        return placed

    def _rows(self, events: pl.DataFrame, candidates: pl.DataFrame) -> Ints:
        """Which of the events candidates are."""
        others: tuple[str, ...] = ()
        if self._windowed:
            others = (WINDOW_COLUMN,)
            events = events.rename({OF_WINDOW: WINDOW_COLUMN})
        rows = rows_among(events, candidates, others)
        if rows is None:
            raise OperatorError(
                "this query contains '=>', and a candidate is not among the events of its streams",
                hint="pass all_events(query, …) under EVENTS",
            )
        return rows

    def _neighbours(self, events: pl.DataFrame, asked: Ints) -> tuple[Ints, pl.DataFrame]:
        """The number of the event before each of these rows, and the events that follow candidates."""
        if self.query.partition_by and events.height:
            return self._in_partitions(events, asked)
        after = np.append(0, asked + 1)
        after = after[after < events.height]
        return self.next + asked - 1, _following(events, after, self.next + after - 1)

    def _in_partitions(self, events: pl.DataFrame, asked: Ints) -> tuple[Ints, pl.DataFrame]:
        """The same of the partitions, whose last events stand before the new ones."""
        known, numbers = self.last.height, self.last[NUMBER].to_numpy()
        names = [name for name in events.columns if name.startswith(_PARTITION)]
        codes = group_codes([pl.concat([self.last[name], events[name]], rechunk=True) for name in names])
        before, after, last = neighbours(codes, np.append(np.arange(known), known + asked))
        followed = np.flatnonzero(after >= 0)
        followed = followed[np.argsort(after[followed])]
        of_all = np.append(numbers, self.next + asked)
        following = _following(events, after[followed] - known, of_all[followed])
        self._remember(events, names, last)
        old = np.append(numbers, -1)[np.minimum(before[known:], known)]
        return np.where(before[known:] < known, old, self.next + before[known:] - known), following

    def _remember(self, events: pl.DataFrame, names: Sequence[str], last: Ints) -> None:
        known = self.last.height
        old, new = last[last < known], last[last >= known] - known
        of_events = [events[name][new] for name in ("_time", *names)]
        self.last = self.last[old].vstack(pl.DataFrame([*of_events, pl.Series(NUMBER, self.next + new)]))

    def retire(self, windows: Ints) -> None:
        """Forget the last events of context windows that have ended."""
        if len(windows) and self.last.height:
            self.last = self.last.filter(pl.Series(~np.isin(self.last[OF_WINDOW].to_numpy(), windows)))

    def forget(self, watermark: int, awaited: Ints) -> None:
        """Forget the last events of partitions that no event from the watermark on makes a difference to.

        Args:
            watermark: in microseconds.
            awaited: the numbers of events behind which a last `=> NOT` waits for the next one, however late.
        """
        if not self.last.height:
            return
        kept = timestamps(self.last["_time"]) >= watermark - self._horizon
        if not kept.all() and len(awaited):
            kept |= np.isin(self.last[NUMBER].to_numpy(), awaited)
        if not kept.all():
            self.last = self.last[np.flatnonzero(kept)]


def _following(events: pl.DataFrame, rows: Ints, before: Ints) -> pl.DataFrame:
    return pl.DataFrame([events["_time"][rows], pl.Series(BEFORE, before)])


def _horizon(query: Query) -> int:
    """More microseconds than any two neighbours of a match lie apart: windows tie all its events together."""
    widths = [w.width for w in query.windows if isinstance(w, CorrelationWindow)]
    widths += [] if query.retention is None else [query.retention]
    if not widths:
        return UNBOUNDED
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    waits = [part.duration for part in parts if isinstance(part, Negation | Timer) and part.duration is not None]
    return micros(sum([*widths, *waits], timedelta(microseconds=1)))
