"""CSV files, read as columns of strings: what a value means is for the stream's annotation to say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ..file_source import LineSource
from ..records import Malformed, RawBatch, RecordOrigin, table_of_dicts
from ..text_lines import join, split_off_invalid_text, without_blank_lines
from .csv_dialect import CsvDialect, is_one_line, split_line
from .decimal_commas import has_decimal_commas, with_decimal_points

__all__ = ["CsvSource", "parse_csv_lines", "with_header"]

_LOOKED_AT = 10  # lines that show the separator
_LONGEST_NAME = 1_000
_COMMA = ","
_BLOCK = 1 << 20  # bytes that the parser takes at once


class CsvSource(LineSource):
    """Files of one record a line, values between separators."""

    def parse(self, lines: pa.Array, origin: RecordOrigin) -> RawBatch:
        """The records of the lines, by the dialect of the stream."""
        return parse_csv_lines(lines, origin, CsvDialect.of(self.of.stream))


def parse_csv_lines(lines: pa.Array, origin: RecordOrigin, dialect: CsvDialect) -> RawBatch:
    """Read lines of one record each: blank ones are none, one with more or fewer values than columns is malformed.

    Args:
        lines: strings, in order of arrival; not necessarily valid UTF-8; with each file's header, if it has one.
        origin: where they stood, file by file.
        dialect: how they are written.
    """
    parts = [_parse_file(lines, start, stop, origin, dialect) for start, stop in _stretches(lines, origin, dialect)]
    tables = [table for table, _, _ in parts] or [table_of_dicts([])]
    numbers = [numbers for _, numbers, _ in parts] or [np.arange(0)]
    malformed = tuple(each for _, _, found in parts for each in found)
    table = pa.concat_tables(tables, promote_options="default") if len(tables) > 1 else tables[0]
    return RawBatch(table, malformed, origin, np.concatenate(numbers), lines)


def with_header(dialect: CsvDialect, lines: pa.Array) -> CsvDialect:
    """Return the dialect of what follows these first lines of a file: its columns are named, if they name them."""
    valid, numbers, _ = split_off_invalid_text(lines, RecordOrigin.of(""))
    kept, _ = without_blank_lines(valid, numbers)
    header = None if dialect.columns else _damaged_header(lines)
    first = [*([] if header is None else [header]), *kept[:_LOOKED_AT].to_pylist()]
    if not first:
        return dialect
    dialect = dialect.of_file(first)
    names = dialect.columns or split_line(first[0], dialect.separator or _COMMA, dialect.quote)
    return replace(dialect, columns=names)


def _stretches(lines: pa.Array, origin: RecordOrigin, dialect: CsvDialect) -> list[tuple[int, int]]:
    if dialect.columns:  # files do not matter
        return [(0, len(lines))]
    return list(zip(origin.starts, [*origin.starts[1:], len(lines)], strict=True))


def _parse_file(
    lines: pa.Array, start: int, stop: int, origin: RecordOrigin, dialect: CsvDialect
) -> tuple[pa.Table, np.ndarray, list[Malformed]]:
    valid, numbers, malformed = split_off_invalid_text(lines.slice(start, stop - start), origin, start)
    kept, numbers = without_blank_lines(valid, numbers)
    header = None if dialect.columns else _damaged_header(lines.slice(start, stop - start))
    dialect = dialect.of_file([*([] if header is None else [header]), *kept[:_LOOKED_AT].to_pylist()])
    columns = dialect.columns
    if header is not None:
        columns = split_line(header, dialect.separator or _COMMA, dialect.quote)
    elif not columns and len(kept):
        columns = split_line(kept[0].as_py(), dialect.separator or _COMMA, dialect.quote)
        kept, numbers = kept.slice(1), numbers[1:]
    if not len(kept):
        return table_of_dicts([]), numbers, malformed
    fault = _fault_of_names(columns)
    if fault is not None:
        reason = f"the file's first line names {fault}"
        return table_of_dicts([]), numbers[:0], [*malformed, *_all(kept, numbers, reason, origin)]
    kept, numbers, unclosed = _split_off_unclosed(kept, numbers, origin, dialect)
    kept, numbers, broken = _split_off_returns(kept, numbers, origin, dialect)
    table, good, wrong = _read(kept, numbers, columns, origin, dialect)
    table = _with_points(table, dialect)
    return table, numbers[good], malformed + unclosed + broken + wrong


def _fault_of_names(columns: tuple[str, ...]) -> str | None:
    """What is wrong with the names of columns; a long one would be told of, and kept with, each record."""
    longest = max(map(len, columns), default=0)
    if longest > _LONGEST_NAME:
        return f"a column with {longest:,} characters"
    twice = next((name for name, count in Counter(columns).items() if count > 1), None)
    return None if twice is None else f"the column '{twice}' twice"


def _damaged_header(lines: pa.Array) -> str | None:
    """The first line that says something, if it is not UTF-8: it is malformed, and the next one is no header yet."""
    first = next((line for line in lines[:_LOOKED_AT].cast(pa.binary()).to_pylist() if line and line.strip()), b"")
    text: str = first.decode(errors="backslashreplace")
    return None if text.encode() == first else text.lstrip("\ufeff")


def _with_points(table: pa.Table, dialect: CsvDialect) -> pa.Table:
    """Numbers with decimal points, whatever the file has; a comma stays where it is no part of a number."""
    if dialect.decimal == ".":
        return table
    for place, name in enumerate(table.column_names):
        values = table.column(place)
        if dialect.holds_numbers(name) and (
            dialect.decimal == _COMMA or has_decimal_commas(values, separated_by_comma=dialect.separator == _COMMA)
        ):
            table = table.set_column(place, name, with_decimal_points(values))
    return table


def _split_off_unclosed(
    lines: pa.Array, numbers: np.ndarray, origin: RecordOrigin, dialect: CsvDialect
) -> tuple[pa.Array, np.ndarray, list[Malformed]]:
    """Without the lines whose last quote is never closed: to the parser they would go on in the next line."""
    quotes = pc.count_substring(lines, dialect.quote).to_numpy(zero_copy_only=False)
    odd = quotes % 2 == 1
    if not odd.any():
        return lines, numbers, []
    unclosed = _all(lines.filter(pa.array(odd)), numbers[odd], f"a {dialect.quote} is never closed", origin)
    return lines.filter(pa.array(~odd)), numbers[~odd], unclosed


def _split_off_returns(
    lines: pa.Array, numbers: np.ndarray, origin: RecordOrigin, dialect: CsvDialect
) -> tuple[pa.Array, np.ndarray, list[Malformed]]:
    """Without the lines that have a carriage return among their values: to the parser they would be two."""
    returns = pc.match_substring(lines, "\r").to_numpy(zero_copy_only=False)
    for row in np.flatnonzero(returns):
        returns[row] = not is_one_line(lines[row].as_py(), dialect.separator or _COMMA, dialect.quote)
    if not returns.any():
        return lines, numbers, []
    broken = _all(lines.filter(pa.array(returns)), numbers[returns], "a carriage return stands within the line", origin)
    return lines.filter(pa.array(~returns)), numbers[~returns], broken


def _read(
    lines: pa.Array, numbers: np.ndarray, columns: tuple[str, ...], origin: RecordOrigin, dialect: CsvDialect
) -> tuple[pa.Table, np.ndarray, list[Malformed]]:
    good, malformed = np.ones(len(lines), dtype=bool), []
    if not len(lines):
        return table_of_dicts([]), good, []

    def set_aside(row: pyarrow.csv.InvalidRow) -> str:
        line = row.number - 1
        good[line] = False
        reason = f"{row.actual_columns} values for {len(columns)} columns"
        malformed.append(Malformed(row.text, reason, origin.place(int(numbers[line]))))
        return "skip"

    # The parser takes an empty value at the end of the text for a quoted one if another value of its line is quoted.
    text = pa.py_buffer(join(lines).to_pybytes() + b"\n")
    block = max(_BLOCK, 2 * pc.max(pc.binary_length(lines)).as_py())  # no record is longer than two of them
    try:
        table = _columns(text, columns, dialect, None, block)
    except pa.ArrowInvalid:  # once more, with a look at each record: only one thread knows their numbers
        table = _columns(text, columns, dialect, set_aside, block)
    return table, good, malformed


def _columns(text: pa.Buffer, columns: tuple[str, ...], dialect: CsvDialect, set_aside: object, block: int) -> pa.Table:
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        pyarrow.csv.ReadOptions(column_names=columns, use_threads=set_aside is None, block_size=block),
        pyarrow.csv.ParseOptions(
            delimiter=dialect.separator or _COMMA, quote_char=dialect.quote or False, invalid_row_handler=set_aside
        ),
        pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(columns, pa.string()),
            null_values=[dialect.null],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def _all(lines: pa.Array, numbers: np.ndarray, reason: str, origin: RecordOrigin) -> list[Malformed]:
    pairs = zip(lines.to_pylist(), numbers.tolist(), strict=True)
    return [Malformed(line, reason, origin.place(number)) for line, number in pairs]
