"""The rows of deriving queries, by set, partition and time: which of them opened a window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

import pyarrow as pa

from ...cep.contexts import ContextHistory, HeldWindow, PartitionKeys
from ...cep.partitions import NO_END, NO_START
from ...expressions import frame_of, micros
from ...language.nodes import ChangeKind, ContextChange, Query
from ...pipeline.flow import QueryRows, Registration
from .row_contexts import KnownRow, Opener, OpenerKind

__all__ = ["DerivingRows", "MadeChange", "begun_windows", "known_rows", "with_shown_keys"]

_Place = tuple[str, str, int]


def with_shown_keys(registration: Registration) -> Registration:
    """A query whose rows show in which partition they change something; otherwise they are the same."""
    query = registration.query
    if query.change is None:
        return registration
    keys = query.change.keys
    items = tuple(replace(item, hidden=item.hidden and item.name not in keys) for item in query.items)
    return replace(registration, query=replace(query, items=items))


@dataclass(frozen=True, slots=True)
class MadeChange:
    """What a row of a deriving query does, and in which partition."""

    change: ContextChange
    row: KnownRow
    key: str

    @property
    def kind(self) -> ChangeKind:
        """Of the change."""
        return self.change.kind

    @property
    def context(self) -> str:
        """The context that it changes."""
        return self.change.context.context


@dataclass
class DerivingRows:
    """Takes the rows of deriving queries, as a data flow gives them.

    Args:
        registrations: what the data flow answers, as `with_shown_keys` has it; in the order of changes of one time.
    """

    registrations: Sequence[Registration]
    _made: dict[_Place, list[tuple[int, MadeChange]]] = field(default_factory=dict)
    _by_id: dict[str, MadeChange] = field(default_factory=dict)

    def take(self, answers: Iterable[QueryRows]) -> None:
        """Take all rows of a batch."""
        known = {one.label: (place, one.query) for place, one in enumerate(self.registrations)}
        for answer in answers:
            place, query = known[answer.label]
            if query.change is not None and answer.rows.num_rows:
                keys = _partitions(query, query.change, answer.rows)
                for key, row in zip(keys, known_rows(answer.label, answer.rows), strict=True):
                    if key is not None:
                        self._take(place, MadeChange(query.change, row, key))

    def _take(self, place: int, made: MadeChange) -> None:
        self._by_id[made.row.id] = made
        moment = made.change.context.set, made.key, micros(made.row.time)
        self._made.setdefault(moment, []).append((place, made))

    def of_id(self, row: str) -> MadeChange | None:
        """The change of the row of this id; `None`: it is of no deriving query, or its key is unbound."""
        return self._by_id.get(row)

    def at(self, contexts: str, key: str, time: int) -> list[MadeChange]:
        """The changes of a moment in a partition, in the order in which they are made."""
        return [made for _, made in sorted(self._made.get((contexts, key, time), ()), key=itemgetter(0))]

    def opener(self, history: ContextHistory, window: HeldWindow) -> Opener:
        """Who opened a window of a set."""
        contexts = history.set
        if window.context in history.calendars:
            return Opener(OpenerKind.CALENDAR)
        if window.since == NO_START:
            return Opener(OpenerKind.DEFAULT, note="no other context has held before")
        changes = self.at(contexts.name, window.key, window.since)
        if window.context == history.default:
            return self._of_default(history, window, changes)
        opening = _opening(history, window, changes)
        return self._unknown(contexts.name) if opening is None else Opener(OpenerKind.ROW, opening.row)

    def _of_default(self, history: ContextHistory, window: HeldWindow, changes: Iterable[MadeChange]) -> Opener:
        """The default begins behind the last of the others: who ended that."""
        ending = [made for made in changes if made.kind is not ChangeKind.INITIATE]
        ended = any(w.until == window.since for w in begun_windows(history, window.key))
        if ended and not ending:  # SWITCH ends what its match lies in, in whichever partition
            others = (self.at(*place) for place in self._made if place[0] == history.set.name)
            ending = [m for found in others for m in found if _switches_at(m, window.since)]
        if ended and ending:
            return Opener(OpenerKind.DEFAULT, ending[-1].row)
        note = "a calendar's context ended then" if history.calendars and not ended else "what held before ended then"
        return Opener(OpenerKind.DEFAULT, note=note)

    def _unknown(self, contexts: str) -> Opener:
        changing = [one for one in self.registrations if contexts in one.query.changed_sets]
        rules = " or ".join(one.label for one in changing if one.query.rule is not None)
        return Opener(OpenerKind.UNKNOWN, note=f"a rule did: {rules}" if rules else "its row is not known")


def _partitions(query: Query, change: ContextChange, rows: pa.Table) -> list[str | None]:
    """The partition that each row of a deriving query changes; `None`: its key is unbound."""
    (contexts,) = (each for each in query.context_sets if each.name == change.context.set)
    types = {item.name: item.type for item in query.items}
    columns = frame_of(rows, list(change.keys)).get_columns() if change.keys else []
    return PartitionKeys(contexts).texts(columns, [types[name] for name in change.keys], rows.num_rows).to_list()


def _switches_at(made: MadeChange, time: int) -> bool:
    return made.kind is ChangeKind.SWITCH and micros(made.row.time) == time


def begun_windows(history: ContextHistory, key: str) -> list[HeldWindow]:
    """The windows of a partition that queries have begun."""
    names = [c.name for c in history.set.contexts[1:] if c.name not in history.calendars]
    return [window for name in names for window in history.windows(name, key, NO_START, NO_END)]


def _opening(history: ContextHistory, window: HeldWindow, changes: Sequence[MadeChange]) -> MadeChange | None:
    """The first change that could open a window: where one ended then, the first behind the end of that."""
    known = begun_windows(history, window.key)
    before = any(w.until == window.since for w in known if w.context == window.context)
    found = None
    for made in changes:
        opens = made.context == window.context and made.kind is not ChangeKind.TERMINATE
        ends = made.kind is ChangeKind.SWITCH or (made.context == window.context and not opens)
        before = before and not ends
        if opens:
            found = found or made
            if not before:
                return made
    return found


def known_rows(label: str, rows: pa.Table) -> Iterator[KnownRow]:
    """Rows of a query, as they are spoken of."""
    for row in rows.to_pylist():
        events = {name: tuple(ids or ()) for name, ids in row["_events"].items()}
        values = {name: value for name, value in row.items() if not name.startswith("_")}
        yield KnownRow(label, row["_time"], row["_id"], events, tuple(row.get("_context") or ()), values)
