"""Raw records of one stream and one batch: a table of what could be read, and what could not, each with its place."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import accumulate
from typing import Protocol

import numpy as np
import pyarrow as pa

from ...annotator import EXACT_INTEGERS, MOST_NESTED, type_nesting
from .unreadable import UnreadableFile

__all__ = [
    "Malformed",
    "RawBatch",
    "RecordOrigin",
    "TakenRecords",
    "ToldRecords",
    "concatenate",
    "table_of_dicts",
    "text_of",
    "without_unreadable",
]


@dataclass(frozen=True, slots=True)
class Malformed:
    """A record that cannot be read: as it came, why, and where it stood."""

    text: str
    reason: str
    place: str


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """Return where the records of a batch come from: files, each one stretch of records in the order of arrival.

    Attributes:
        names: gives the file of each stretch, or `batch` for what is no file; called when a place is wanted.
        starts: number of the first record of each stretch within the batch; the first is 0.
        pattern: how a place reads, from `name` and the record's number in its file, which counts from 1.
        before: how many records of the first file came in earlier batches.
        firsts: the number of the first record of each stretch, where they do not count from 1.
    """

    names: Callable[[], Sequence[str]]
    starts: tuple[int, ...] = (0,)
    pattern: str = "{name}, row {number}"
    before: int = 0
    firsts: tuple[int, ...] = ()

    @classmethod
    def of(cls, name: str, pattern: str = "{name}, row {number}", before: int = 0) -> RecordOrigin:
        """Build the origin of records that all stand in one file, `before` of them in earlier batches."""
        return cls(lambda: (name,), (0,), pattern, before)

    @classmethod
    def of_files(cls, files: Sequence[tuple[str, int]], pattern: str = "{name}, row {number}") -> RecordOrigin:
        """Build the origin of records that stand in files, each given by its name and how many it has."""
        names = [name for name, _ in files]
        return cls(lambda: names, tuple(accumulate((count for _, count in files[:-1]), initial=0)), pattern)

    def place(self, record: int) -> str:
        """Return the place of a record of the batch, by its number from 0."""
        stretch = bisect_right(self.starts, record) - 1
        first = self.firsts[stretch] if self.firsts else 1 + (0 if stretch else self.before)
        return self.pattern.format(name=self.names()[stretch], number=first + record - self.starts[stretch])


@dataclass(frozen=True, slots=True)
class RawBatch:
    """The raw records of one stream in one batch, in order of arrival.

    Attributes:
        table: one column per name that the records use, typed as in the source; null: the record has no such value.
        malformed: what is no record at all.
        origin: the places of the batch's records, malformed ones included.
        numbers: the number of each row's record within the batch, int64; `None`: row and number are the same.
        texts: each record as it came; `None`: the source has no text (Parquet), `text` then writes the row as JSON.
        columns: of a wide table, the column that each row's value stood in; `None`: a row is a record.
        unreadable: files of which nothing is in it; `malformed` has them, too.
    """

    table: pa.Table
    malformed: tuple[Malformed, ...] = ()
    origin: RecordOrigin = field(default_factory=lambda: RecordOrigin.of("batch"))
    numbers: np.ndarray | None = None
    texts: pa.Array | None = None
    columns: pa.DictionaryArray | None = None
    unreadable: tuple[UnreadableFile, ...] = ()

    def place(self, row: int) -> str:
        """Return where the record of a row of `table` stood."""
        column = "" if self.columns is None else f", column '{self.columns[row].as_py()}'"
        return self.origin.place(self._number(row)) + column

    def text(self, row: int) -> str:
        """Return the record of a row of `table` as it came; where it is written as JSON, without values too deep."""
        if self.texts is not None:
            return str(self.texts[self._number(row)].as_py())
        shown = [field.name for field in self.table.schema if type_nesting(field.type) <= MOST_NESTED]
        (values,) = self.table.select(shown).slice(row, 1).to_pylist()
        return json.dumps({k: v for k, v in values.items() if v is not None}, ensure_ascii=False, default=str)

    def letters(self, rejected: pa.Table) -> Iterator[Malformed]:
        """All that cannot be taken of it.

        Args:
            rejected: columns row (number of a row of `table`) and reason.
        """
        yield from self.malformed
        for row, reason in zip(rejected["row"].to_pylist(), rejected["reason"].to_pylist(), strict=True):
            yield Malformed(self.text(row), reason, self.place(row))

    def _number(self, row: int) -> int:
        return row if self.numbers is None else int(self.numbers[row])


class TakenRecords(Protocol):
    """What is left of the records of one stream and one batch when its events are taken."""

    @property
    def malformed(self) -> Sequence[Malformed]:
        """What is no record at all."""

    @property
    def unreadable(self) -> Sequence[UnreadableFile]:
        """Files of which nothing was taken."""

    def letters(self, rejected: pa.Table) -> Iterator[Malformed]:
        """All that cannot be taken; see `RawBatch.letters`."""


@dataclass(frozen=True, slots=True)
class ToldRecords:
    """What other processes tell of the records that they have taken; see `TakenRecords`.

    Attributes:
        malformed: what is no record at all.
        refused: records that are no events.
        unreadable: files of which nothing was taken.
    """

    malformed: tuple[Malformed, ...] = ()
    refused: tuple[Malformed, ...] = ()
    unreadable: tuple[UnreadableFile, ...] = ()

    def letters(self, rejected: pa.Table) -> Iterator[Malformed]:
        """All that cannot be taken: what was rejected is known here."""
        del rejected
        yield from self.malformed
        yield from self.refused


def without_unreadable(raw: RawBatch | None, files: Sequence[UnreadableFile]) -> RawBatch:
    """Return a batch with a note of files that could not be read; `None`: there is nothing else in it."""
    raw = RawBatch(table_of_dicts([])) if raw is None else raw
    letters = (Malformed(file.path, f"the file {file.complaint}", file.path) for file in files)
    return replace(raw, malformed=(*raw.malformed, *letters), unreadable=(*raw.unreadable, *files))


def table_of_dicts(records: Sequence[Mapping[str, object]]) -> pa.Table:
    """Build a table of parsed JSON objects, or of dictionaries that a program made, one row each.

    A name whose values agree in kind (numbers, strings, booleans) becomes a column of that kind. Where they do not, the
    column holds each value's text, so that a single `"abc"` among numbers costs its own record and no other.
    """
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: _column([record.get(name) for record in records]) for name in names}
    present = {name: column for name, column in columns.items() if column.null_count < len(column)}
    # By way of a column that is dropped again: a table of no columns would forget how many rows it has.
    return pa.table({"": pa.nulls(len(records)), **present}).select(list(present))


def concatenate(tables: Sequence[pa.Table]) -> pa.Table:
    """Put raw tables one after the other; a column whose types have nothing in common becomes text."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return table_of_dicts([row for each in tables for row in each.to_pylist()])


def text_of(value: object) -> str | None:
    """Return a value as text; numbers alike however they were written: 5.0 is `5`."""
    match value:
        case None | str():
            return value
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < EXACT_INTEGERS:
            return str(int(value))
        case int() | float():
            return repr(value)
        case datetime():
            return value.isoformat()
        case _:
            return _json(value)


def _column(values: list[object]) -> pa.Array:
    kinds = {type(value) for value in values}
    if bool not in kinds or kinds.isdisjoint((int, float)):  # Arrow takes truth values for numbers among numbers
        try:
            return pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            pass  # of several kinds, or integers that a double rounds
    return pa.array([text_of(value) for value in values], pa.string())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
