"""A plain automaton where an operator of the engine stands: Arrow tables in, Arrow tables out, the same rows.

What the engine owes its users besides matching, a program in plain Python owes them as well: it takes events as they
come, holds back those that the watermark has not passed, handles the others in the total order (T, id), and hands over
rows in output order, with the ids of all events and a digest that tells rows apart. That is what this does, and no
more: it cannot be saved, it knows one query, and a `Step` cannot compare events with each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import md5
from itertools import pairwise
from operator import itemgetter

import pyarrow as pa

from .naive_nfa import Event, Naive, Row

__all__ = ["NaiveOperator"]

_TIMESTAMP = pa.timestamp("us", "UTC")
_COLUMNS = ("_id", "sensor", "kind", "x")


@dataclass(slots=True)
class NaiveOperator:
    """Events in, rows out.

    Attributes:
        naive: the automaton.
        item: what the item is called, and its type.
        variables: those of a row's `runs`.
    """

    naive: Naive
    item: tuple[str, pa.DataType]
    variables: Sequence[str]
    held: list[Event] = field(default_factory=list)

    def process(self, table: pa.Table, watermark: int) -> pa.Table:
        """The rows that become true.

        Args:
            table: events as they came; none that is to come is below the last watermark.
            watermark: in microseconds.
        """
        times = table["_time"].cast(pa.int64()).to_pylist()
        self.held += map(Event._make, zip(times, *(table[name].to_pylist() for name in _COLUMNS), strict=True))
        self.held.sort()  # by (T, id): an Event's first fields
        passed = bisect_left(self.held, watermark, key=itemgetter(0))
        events, self.held = self.held[:passed], self.held[passed:]
        return self._table(_in_output_order(self.naive.process(events, watermark)))

    def _table(self, rows: list[Row]) -> pa.Table:
        name, of = self.item
        ids = [[[event.id for event in run] for run in row.runs] for row in rows]
        events = [pa.array([runs[i] for runs in ids], pa.list_(pa.string())) for i in range(len(self.variables))]
        columns = {
            name: pa.array([row.item for row in rows], of),
            "_time": pa.array([row.time for row in rows], pa.int64()).cast(_TIMESTAMP),
            "_events": pa.StructArray.from_arrays(events, list(self.variables)),
        }
        windows = [row.window for row in rows if row.window is not None]
        if windows:
            bounds = [pa.array(of_all, pa.int64()).cast(_TIMESTAMP) for of_all in zip(*windows, strict=True)]
            columns["_window"] = pa.StructArray.from_arrays(bounds, ["start", "end"])
        columns["_id"] = pa.array(list(map(_digest, ids)), pa.string())
        return pa.table(columns)


def _in_output_order(rows: list[Row]) -> list[Row]:
    """Automata give rows by their last events; those that share one are sorted."""
    tied = any(one.time == other.time for one, other in pairwise(rows))
    return sorted(rows, key=_place) if tied else rows


def _place(row: Row) -> tuple[object, ...]:
    events = sorted([event[:2] for run in row.runs for event in run])
    return row.time, events[-1], events[0], -len(events), events


def _digest(runs: list[list[str]]) -> str:
    return md5("\x1f".join(["\x1e".join(run) for run in runs]).encode(), usedforsecurity=False).hexdigest()
