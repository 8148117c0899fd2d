"""How a stream's CSV is written: what its settings say, and for the rest what a file's first lines show."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ....config import StreamSettings
from ....language.nodes import type_of_datatype
from ..text_lines import declared_columns

__all__ = ["SEPARATORS", "CsvDialect", "sniff_separator", "split_line"]

SEPARATORS = (",", ";", "\t", "|")
"""What values are separated by, where nothing is stated; of equally good ones the first."""
_FALSE = {"false", "0", "no"}
_XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How CSV is written, in the words of Spark's options.

    Attributes:
        columns: the names of the columns; empty: each file's first line names them.
        separator: between two values (`sep`, `delimiter`); `None`: as the file's first lines show.
        quote: around a value that contains separators; doubled inside one.
        null: what an unquoted value that is none reads like (`nullValue`).
        decimal: `.` or `,` in numbers (`decimal`); `None`: as the file shows.
        texts: columns that hold no numbers; their commas are left alone.
        expected: names that a header probably has: the attributes of the stream.
        others_are_numbers: whether a column that is not expected holds numbers, as in a wide table.
    """

    columns: tuple[str, ...] = ()
    separator: str | None = None
    quote: str = '"'
    null: str = ""
    decimal: str | None = None
    texts: frozenset[str] = frozenset()
    expected: frozenset[str] = frozenset()
    others_are_numbers: bool = True

    @classmethod
    def of(cls, stream: StreamSettings) -> CsvDialect:
        """Read the dialect of a stream: without a header, the columns are the attributes in declared order."""
        options = stream.source.options() if stream.source else {}
        declared = () if options.get("header", "true").lower() not in _FALSE else declared_columns(stream)
        separator = options.get("sep", options.get("delimiter"))
        return cls(
            declared,
            None if separator is None else separator.replace("\\t", "\t"),
            options.get("quote", '"'),
            options.get("nullValue", ""),
            options.get("decimal"),
            _texts(stream),
            frozenset(declared_columns(stream)),
            _unpivots_numbers(stream),
        )

    def of_file(self, lines: Sequence[str]) -> CsvDialect:
        """The dialect of a file whose first lines are these, its header among them."""
        if self.separator is not None:
            return self
        return replace(self, separator=sniff_separator(lines, self.quote, self.expected, len(self.columns)))

    def holds_numbers(self, column: str) -> bool:
        """Whether commas in a column may be decimal ones."""
        return column not in self.texts and (column in self.expected or self.others_are_numbers)


def sniff_separator(lines: Sequence[str], quote: str, expected: frozenset[str], columns: int = 0) -> str:
    """Choose the separator by which the first line has most of the expected names, and all lines as many values.

    Args:
        lines: the first of a file.
        quote: around values that contain separators.
        expected: names that the first line probably has.
        columns: how many values each line has; 0: the first line names the columns.
    """

    def fitness(separator: str) -> tuple[int, bool]:
        counts = [len(split_line(line, separator, quote)) for line in lines]
        if columns:
            return counts.count(columns), False
        names = split_line(lines[0], separator, quote)
        return len(expected.intersection(names)), len(names) > 1 and len(set(counts)) == 1

    return max(SEPARATORS, key=fitness) if lines else SEPARATORS[0]


def split_line(line: str, separator: str, quote: str = '"') -> tuple[str, ...]:
    """Return the values of a line, without white space around them; of no record, what looks like values."""
    try:
        values = next(_reader(line, separator, quote), [])
    except csv.Error:  # a carriage return in it, or a value that is longer than Python's module reads
        values = line.split(separator)
    return tuple(value.strip() for value in values)


def is_one_line(line: str, separator: str, quote: str) -> bool:
    """Whether a line goes on behind the carriage returns in it: they are quoted, or nothing comes behind them."""
    try:
        next(_reader(line, separator, quote), [])
    except csv.Error:
        return False
    return True


def _reader(line: str, separator: str, quote: str) -> Iterator[list[str]]:
    if quote:
        return csv.reader([line], delimiter=separator, quotechar=quote)
    return csv.reader([line], delimiter=separator, quoting=csv.QUOTE_NONE)


def _texts(stream: StreamSettings) -> frozenset[str]:
    """The attributes whose values are texts or time stamps, or stand for individuals, by their declaration."""
    found = {stream.time.attribute}
    for name, a in stream.attributes.items():
        datatype = (a.datatype or "").rpartition(":")[2]
        kind = type_of_datatype(_XSD + datatype) if datatype else None
        if a.individual is not None or a.key is not None or (kind is not None and not kind.numeric):
            found.add(name)
    return frozenset(found)


def _unpivots_numbers(stream: StreamSettings) -> bool:
    unpivot = stream.source.unpivot if stream.source else None
    return unpivot is not None and unpivot.value not in _texts(stream)
