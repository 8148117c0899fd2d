"""Rows for people and programs: tables on a terminal, JSON lines, CSV."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType, TracebackType
from typing import IO, Any, Literal, Self

from rich.console import Console
from rich.markup import escape
from rich.table import Table

__all__ = ["Form", "RowPrinter", "print_rows", "readable", "table", "value_text"]

Form = Literal["table", "json", "csv"]
Row = Mapping[str, Any]

# What a table on the terminal leaves out: it is for programs.
_FOR_PROGRAMS = {"_events", "_window", "_id"}
_WIDE = 500
_PAGE = 1000
"""Rows of a table at most: it is held until it is known how wide its columns are."""
_LOCAL_NAME = re.compile(r"\w[\w.-]*")


def print_rows(
    rows: Sequence[Row],
    columns: Iterable[str],
    form: Form,
    file: IO[str],
    prefixes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write rows; see `RowPrinter`."""
    with RowPrinter(columns, form, file, prefixes) as printer:
        printer.write(rows)


class RowPrinter:
    """Writes rows as they come; a table's columns are as wide as their widest value, so many rows are several tables.

    Args:
        columns: names, in order.
        form: `table`; `json`, one object per line; `csv`, with a header.
        file: where to.
        prefixes: by which a table shortens IRIs; programs get them whole.
    """

    def __init__(
        self, columns: Iterable[str], form: Form, file: IO[str], prefixes: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._names = list(columns)
        self._form, self._file, self._prefixes = form, file, prefixes
        self._csv = csv.writer(file, lineterminator="\n")
        self._page: list[Row] = []
        self._pages = 0

    def __enter__(self) -> Self:
        if self._form == "csv":
            self._csv.writerow(self._names)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._form == "table" and error is None and (self._page or not self._pages):
            self._print_page()

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows: Python values by column."""
        match self._form:
            case "json":
                for row in rows:
                    values = {name: _plain(row[name]) for name in self._names}
                    self._file.write(json.dumps(values, ensure_ascii=False) + "\n")
            case "csv":
                self._csv.writerows([_cell(row[name]) for name in self._names] for row in rows)
            case "table":
                for row in rows:
                    self._page.append(row)
                    if len(self._page) == _PAGE:
                        self._print_page()

    def _print_page(self) -> None:
        console = Console(file=self._file)
        if not console.is_terminal:
            console = Console(file=self._file, width=_WIDE)
        console.print(table(self._page, self._names, prefixes=self._prefixes))
        self._page, self._pages = [], self._pages + 1


def table(
    rows: Sequence[Row], columns: Iterable[str], title: str = "", prefixes: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """Return rows as a table for the terminal, without the columns that only programs need, IRIs as prefixed names."""
    names = readable(columns)
    found = Table(title=title or None, title_justify="left", header_style="bold")
    for name in names:
        numbers = any(isinstance(row[name], int | float) for row in rows)
        found.add_column(name, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        found.add_row(*(escape(value_text(row[name], prefixes)) for name in names))
    return found


def readable(columns: Iterable[str]) -> list[str]:
    """Return the columns that people read: those that only programs need are left out."""
    return [name for name in columns if name not in _FOR_PROGRAMS]


def iso(moment: datetime) -> str:
    """Return an aware time as ISO 8601 in UTC, with fractions of a second only where there are some."""
    digits = "auto" if not moment.microsecond else "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=digits) + "Z"


def _plain(value: object) -> object:
    """Return a value that JSON has; what it has no number for is null."""
    match value:
        case datetime():
            return iso(value)
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {name: _plain(part) for name, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case _:
            return value


def _cell(value: object) -> object:
    match value:
        case Mapping() | list():
            return json.dumps(_plain(value), ensure_ascii=False)
        case bool():
            return "true" if value else "false"
        case datetime():
            return iso(value)
        case _:
            return value


def value_text(value: object, prefixes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a value as people read it in a table: numbers short, times in ISO 8601, IRIs as prefixed names."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:.6g}"
        case datetime():
            return iso(value)
        case list():
            return ", ".join(value_text(part, prefixes) for part in value)
        case str():
            return _prefixed(value, prefixes)
        case _:
            return str(value)


def _prefixed(text: str, prefixes: Mapping[str, str]) -> str:
    for prefix, namespace in prefixes.items():
        local = text.removeprefix(namespace)
        if len(local) < len(text) and _LOCAL_NAME.fullmatch(local):
            return f"{prefix}:{local}"
    return text
