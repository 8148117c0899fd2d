"""One set of contexts as it runs: rows of deriving queries in, windows and the stream of changes out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from typing import Any

import polars as pl
import pyarrow as pa

from ....annotator import event_prefix
from ....cep.contexts import Change, ContextHistory, PartitionKeys, SetWindows, Turn
from ....cep.output import hex_digests, seeds_of
from ....cep.partitions import CONTEXT_WINDOWS, NO_START
from ....errors import OperatorError
from ....expressions import POLARS_TYPES, frame_of, micros, moment_of, timestamps
from ....language.checks.contexts import changes_stream
from ....language.nodes import COMPANION, ChangeKind, ContextSet, Item, Query, StreamType
from ....planner import Range, resolve_bounds
from ..rules import FiringOrder

__all__ = ["ContextRuntime"]

_DIGITS = 6
_VERSION = 2
"""Of its snapshots; another one where what they or `ContextHistory` hold of windows is another."""

PossibleChange = tuple[int, FiringOrder, Change, str]
"""Its time, where it stands among those of that time, what it does, and the partition in which its event lies."""


class ContextRuntime:
    """The windows of a set, how far they are known, and the changes that are made later.

    Attributes:
        set: the set.
        now: the moment of its registration, `None`: before the first event.
        known: the changes below that are known, and made; `None`: none is.
        windows: its windows within its WITHIN.

    Args:
        contexts: the set.
        now: when the first query that speaks of it was registered.
        within: what its WITHIN means then.
    """

    def __init__(self, contexts: ContextSet, now: datetime | None, within: Range) -> None:
        self.set, self.now, self.within = contexts, now, within
        self.known: datetime | None = None
        self.windows = SetWindows(ContextHistory(contexts), within.interval)
        self._keys = PartitionKeys(contexts)
        self._offered: list[tuple[int, FiringOrder, Change]] = []
        self._foreseen: list[PossibleChange] = []
        self._told = 0

    @property
    def history(self) -> ContextHistory:
        """Its windows."""
        return self.windows.history

    def offer(self, query: Query, rows: pa.Table, places: Sequence[FiringOrder]) -> None:
        """Take the rows of a deriving query as changes, to be made when all up to their time are known.

        Args:
            query: the query.
            rows: in output order.
            places: where each row stands among others: changes of one time are made in that order.
        """
        changes = zip(self._changes(query, rows), places, strict=False)  # without rows there are no changes
        self._offered += [(each.time, place, each) for each, place in changes if each is not None]

    def possible(
        self, query: Query, rows: pa.Table, place: FiringOrder, partition: Sequence[Item]
    ) -> list[PossibleChange]:
        """What the rows of a deriving query do that lie in its contexts, if all of them might.

        Args:
            query: the query.
            rows: in output order.
            place: as for `offer`, of all rows.
            partition: the items that say in which partition the event of a row lies.
        """
        keys = frame_of(rows, [item.name for item in partition]).get_columns()
        lying = self._keys.texts(keys, [item.type for item in partition], rows.num_rows).to_list()
        changes = zip(self._changes(query, rows), lying, strict=False)  # without rows there are no changes
        return [(c.time, place, c, key) for c, key in changes if c is not None and key is not None]

    def foresee(self, changes: Sequence[PossibleChange]) -> None:
        """Take possible changes: `advance` makes those that lie in contexts."""
        self._foreseen += changes

    def _changes(self, query: Query, rows: pa.Table) -> list[Change | None]:
        """What each row does; `None`: nothing, since its key is unbound, or no context holds then."""
        change = query.change
        if change is None or not rows.num_rows:
            return []
        items = {item.name: item for item in query.items}
        keys = frame_of(rows, list(change.keys))
        texts = self._keys.texts(keys.get_columns(), [items[name].type for name in change.keys], rows.num_rows)
        named = [item.name for item in query.items if not item.hidden]
        named += [name for name in rows.column_names if name.endswith(COMPANION)]
        values = rows.select(named).to_pylist() if named else [{}] * rows.num_rows
        lying = rows[CONTEXT_WINDOWS].to_pylist() if CONTEXT_WINDOWS in rows.column_names else [()] * rows.num_rows
        times = timestamps(frame_of(rows, ["_time"])["_time"]).tolist()
        known = keys.rows() if change.keys else [()] * rows.num_rows
        within = self.windows.within
        order = () if query.in_context is None else tuple(each.context for each in query.in_context.contexts)
        return [
            None
            if text is None or not within.first <= time <= within.last
            else Change(time, change.kind, change.context.context, text, of, value, tuple(windows or ()), order)
            for time, text, of, value, windows in zip(times, texts.to_list(), known, values, lying, strict=True)
        ]

    def advance(self, upto: datetime) -> None:
        """Make the changes before a moment, below which all are known."""
        if self.known is not None and upto <= self.known:
            return
        border = micros(upto)
        ready = [(time, place, change, None) for time, place, change in self._offered if time < border]
        every = sorted([*ready, *self._foreseen], key=itemgetter(0, 1))
        self._foreseen = []
        self._offered = [one for one in self._offered if one[0] >= border]
        # What is offered too late, by a query that was registered later, changes nothing that was decided already.
        decided = -(2**63) if self.known is None else micros(self.known)
        self.history.make(self._standing(each for each in every if each[0] >= decided))
        self.known = upto

    def _standing(self, changes: Iterable[tuple[int, FiringOrder, Change, str | None]]) -> Iterator[Change]:
        """Changes without those that were foreseen and do not lie in contexts, as they are when it comes to each."""
        for time, _, change, key in changes:
            if key is None:
                yield change
            elif found := self.history.holding(change.order, key, time):
                switches = change.kind is ChangeKind.SWITCH
                yield replace(change, windows=tuple(map(self.history.number, found))) if switches else change

    def changes(self, *, wanted: bool = True) -> pa.Table:
        """The events of `CONTEXTS(…)` since it was asked last; none where nobody wants them."""
        turns = self.history.turns[self._told :] if wanted else []
        self._told = len(self.history.turns)
        return self._events(turns) if turns else self._no_changes

    @cached_property
    def _no_changes(self) -> pa.Table:
        return self._events([])

    def open_windows(self, moment: datetime, stream: StreamType) -> pa.Table:
        """The windows that are open for events after a moment, as events at their beginnings; none behind WITHIN."""
        at, within = micros(moment), self.windows.within
        opened = self.history.open_at(at) if within.first <= at + 1 <= within.last else []
        turns = [Turn(w.since, w.context, "started", w.start, keys) for w, keys in opened if w.since != NO_START]
        kept = self._events(sorted(turns, key=lambda turn: turn.time))
        return kept.select(["_time", "_id", *(a.name for a in stream.attributes if a.name != "_time")])

    def _events(self, turns: list[Turn]) -> pa.Table:
        types = {attribute.name: attribute.type for attribute in changes_stream(self.set).attributes}
        keys = [name for name in types if name not in ("context", "change", "since", "_time")]
        columns: dict[str, list[Any]] = {name: [] for name in types}
        for turn in turns:
            columns["context"].append(turn.context)
            columns["change"].append(turn.change)
            columns["since"].append(None if turn.since == NO_START else moment_of(turn.since))
            columns["_time"].append(moment_of(turn.time))
            for name, value in zip(keys, turn.keys, strict=False):
                columns[name].append(value)
        frame = pl.DataFrame({n: pl.Series(v, dtype=POLARS_TYPES[types[n]], strict=False) for n, v in columns.items()})
        texts = [frame[name].cast(pl.String).fill_null("\x00") for name in types]
        digests = pl.Series("_id", hex_digests(texts, "\x1f", seeds_of(self.set.changes_stream)))
        # Events of one time are in the order of their ids: in which they were made.
        places = pl.int_range(pl.len()).over("_time").cast(pl.String).str.zfill(_DIGITS)
        prefix = event_prefix(self.set.changes_stream)
        return frame.with_columns((pl.lit(prefix) + places + digests).alias("_id")).to_arrow()

    def mark(self) -> object:
        """Where it is, for `rewind`."""
        return self.history.mark(), list(self._offered), self.known

    def rewind(self, mark: Any) -> None:
        """Take back what has happened since."""
        history, offered, self.known = mark
        self._offered, self._foreseen = list(offered), []
        self.history.rewind(history)

    def effect(self, mark: Any) -> object:
        """What has come of changes since a mark, to be compared."""
        return self.history.since(mark[0])

    def forget(self, before: datetime) -> None:
        """Forget what ended before a moment, below which nobody asks."""
        self.history.turns = self.history.turns[self._told :]
        self._told = 0
        self.history.forget(micros(before))

    def snapshot(self) -> bytes:
        """The state, and what identifies the set."""
        head = {
            "version": _VERSION,
            "set": self.set.normal,
            "now": None if self.now is None else self.now.isoformat(),
            "known": None if self.known is None else self.known.isoformat(),
            "told": self._told,
            "places": [astuple(place) for _, place, _ in self._offered],
        }
        encoded = json.dumps(head).encode()
        waiting = [change for _, _, change in self._offered]
        return len(encoded).to_bytes(4, "big") + encoded + self.history.snapshot(waiting)

    @classmethod
    def restored(cls, contexts: ContextSet, state: bytes) -> ContextRuntime | None:
        """A set as a snapshot has it; `None`: that is of another one.

        Raises:
            OperatorError: the snapshot is of another version.
        """
        length = int.from_bytes(state[:4], "big")
        head = json.loads(state[4 : 4 + length])
        if head.get("version") != _VERSION:
            raise OperatorError(
                f"the snapshot of a set of contexts has version {head.get('version', 0)}, this kaicep reads {_VERSION}",
                hint="run the kaicep that wrote it, or remove the snapshots to start from the archive",
            )
        if head["set"] != contexts.normal:
            return None
        now = _moment(head["now"])
        found = cls(contexts, now, resolve_bounds(contexts.bounds, now))
        waiting = found.history.restore(state[4 + length :])
        found._offered = [(c.time, FiringOrder(*place), c) for place, c in zip(head["places"], waiting, strict=True)]
        found.known, found._told = _moment(head["known"]), head["told"]
        return found


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
