"""What an operator knows of the context windows that its candidates lie in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import polars as pl
import pyarrow as pa

from ...errors import OperatorError
from ...expressions import Ints

__all__ = ["CONTEXT_WINDOWS", "NO_END", "NO_START", "PartitionWindows", "windows_schema"]

CONTEXT_WINDOWS = "#windows"
"""Under this name `Operator.process` takes the windows beside the candidates."""

NO_START, NO_END = -(2**62), 2**62
"""The moments of a window that was always there, and of one that is open."""


def windows_schema() -> pa.Schema:
    """What `Operator.process` takes under `CONTEXT_WINDOWS`.

    Columns:
        window: the window's number, as in `WINDOW_COLUMN`.
        context: its context's name.
        rank: the place of its context after IN CONTEXT.
        key: the values of its partition as text: ties are ordered by it.
        partition: the number of its partition, as in `key_columns`; of queries with FOR, else it may be missing.
        since, until: it holds the events with `since < T <= until`, in microseconds; `NO_START`, `NO_END`: unbounded.
            The first default window holds those from the lower bound of its set on; of a window that the bounds of its
            set cut it is the rest (of an aggregate's, the rest of its beginning).
        start, end: as people see them; null: the first default window has no start, an open window no end.
        cut: 1 of a window that the bounds of its set cut, else 0.
    """
    numbers = ("partition", "since", "until", "start", "end", "cut")
    head = [("window", pa.int64()), ("context", pa.string()), ("rank", pa.int32()), ("key", pa.string())]
    return pa.schema([*head, *((name, pa.int64()) for name in numbers)])


_NUMBERS = ("window", "rank", "partition", "since", "until", "start", "end", "cut")
_TEXTS = ("context", "key")
_MISSING = {"start": NO_START, "end": NO_END, "partition": 0, "cut": 0}


class PartitionWindows:
    """The windows that candidates lie in, by their numbers.

    Attributes:
        columns: those of `windows_schema`, ascending by window; where there is no start or no end, `NO_START` and
            `NO_END`.
        passed: the watermark of the last call.
        firsts: by window, the time stamp of its first candidate, as far as `note_first` was told.
        groups: of a shared query, the windows that matches of this call lie in together (`GroupedWindows`).
    """

    def __init__(self) -> None:
        nothing = np.empty(0, dtype=np.int64)
        self.columns: dict[str, np.ndarray[tuple[int], np.dtype[np.generic]]] = dict.fromkeys(_NUMBERS, nothing)
        self.columns |= dict.fromkeys(_TEXTS, np.empty(0, dtype=object))
        self.passed = NO_START
        self.firsts: dict[int, int] = {}
        self.groups: list[Ints] = []

    def __len__(self) -> int:
        return len(self.columns["window"])

    def column(self, name: str) -> Ints:
        """A column of numbers."""
        return cast("Ints", self.columns[name])

    def update(self, table: pa.Table | None) -> None:
        """Take in what is told of windows; what is told later of a window is so."""
        self.groups = []
        if table is None or not table.num_rows:
            return
        new = {name: _numbers(table, name) for name in _NUMBERS}
        known = self._known(new["window"])
        if known is not None and all((self.column(n)[known] == new[n]).all() for n in ("until", "end")):
            return
        told: dict[str, np.ndarray[tuple[int], np.dtype[np.generic]]] = {**new}
        told |= {name: table[name].to_numpy(zero_copy_only=False) for name in _TEXTS}
        _, first = np.unique(np.concatenate([new["window"], self.column("window")]), return_index=True)
        self.columns = {name: np.concatenate([told[name], self.columns[name]])[first] for name in told}

    def _known(self, windows: Ints) -> Ints | None:
        """The places of windows; `None`: one is not known."""
        if not len(self):
            return None
        ids = self.column("window")
        places = np.minimum(np.searchsorted(ids, windows), len(ids) - 1)
        return places if (ids[places] == windows).all() else None

    def places(self, windows: Ints) -> Ints:
        """Where windows stand in the columns.

        Raises:
            OperatorError: one was never told of.
        """
        if not len(windows):
            return np.empty(0, dtype=np.int64)
        found = self._known(windows)
        if found is None:
            raise OperatorError(
                "a candidate lies in a context window that the operator was not told of",
                hint=f"pass each window under '{CONTEXT_WINDOWS}' with the candidates that lie in it",
            )
        return found

    def of(self, name: str, windows: Ints) -> Ints:
        """A column of numbers, of these windows."""
        return self.column(name)[self.places(windows)]

    def end_of(self, window: int) -> int:
        """Until when a window holds events, as far as that is known."""
        return int(self.of("until", np.array([window]))[0])

    def names(self, windows: Ints) -> list[str]:
        """The names of the contexts of windows."""
        return cast("list[str]", self.columns["context"][self.places(windows)].tolist())

    def names_of_groups(self) -> list[list[str]]:
        """The names of the contexts of each group, sorted."""
        return [sorted(set(self.names(group))) for group in self.groups]

    def order(self, windows: Ints) -> list[pl.Series]:
        """By what rows that tie are sorted: the place after IN CONTEXT, the key, the start."""
        places = self.places(windows)
        ranks, starts = self.column("rank")[places], self.column("start")[places]
        return [pl.Series(ranks), pl.Series(self.columns["key"][places].tolist(), dtype=pl.String), pl.Series(starts)]

    def ended(self, watermark: int) -> Ints:
        """The windows that the watermark has passed: no later event lies in them."""
        return self.column("window")[self.column("until") < watermark]

    @property
    def next_end(self) -> int | None:
        """The watermark that passes the first of the windows whose ends are known and are still to come."""
        until = self.column("until")
        ahead = until[(until >= self.passed) & (until < NO_END)]
        return int(ahead.min()) + 1 if len(ahead) else None

    def note_first(self, windows: Ints, times: Ints) -> Ints:
        """The time stamp of the first candidate of each row's window; rows come in order of time."""
        ids, first, inverse = np.unique(windows, return_index=True, return_inverse=True)
        firsts = [self.firsts.setdefault(i, t) for i, t in zip(ids.tolist(), times[first].tolist(), strict=True)]
        return np.array(firsts, dtype=np.int64)[inverse]

    def forget(self, before: int) -> None:
        """Forget the windows that ended before a moment."""
        kept = self.column("until") >= before
        if not kept.all():
            self.columns = {name: column[kept] for name, column in self.columns.items()}
            left = set(self.column("window").tolist())
            self.firsts = {window: time for window, time in self.firsts.items() if window in left}

    def tables(self) -> dict[str, pl.DataFrame]:
        """The state."""
        columns: list[pl.Series] = [pl.Series(name, self.column(name).astype(np.int64)) for name in _NUMBERS]
        columns += [pl.Series(name, self.columns[name].tolist(), dtype=pl.String) for name in _TEXTS]
        firsts = [self.firsts.get(window) for window in self.column("window").tolist()]
        return {"contexts.windows": pl.DataFrame([*columns, pl.Series("first", firsts, dtype=pl.Int64)])}

    def load(self, tables: Mapping[str, pl.DataFrame], passed: int | None) -> None:
        """Go on from what `tables` gave, at a watermark."""
        table = tables["contexts.windows"]
        self.columns = {name: table[name].to_numpy() for name in _NUMBERS}
        self.columns |= {name: _objects(table[name].to_list()) for name in _TEXTS}
        firsts = zip(table["window"].to_list(), table["first"].to_list(), strict=True)
        self.firsts = {window: time for window, time in firsts if time is not None}
        self.passed = NO_START if passed is None else passed


def _numbers(table: pa.Table, name: str) -> Ints:
    if name not in table.column_names:
        return np.zeros(table.num_rows, dtype=np.int64)
    column = table[name]
    if column.null_count:
        column = column.fill_null(_MISSING[name])
    numbers: Ints = column.to_numpy().astype(np.int64)
    return numbers


def _objects(values: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
