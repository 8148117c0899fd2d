"""What the columns of a raw table are for: the time stamp, what may be ids, what is measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ...settings import EPOCHS
from ..nesting import type_nesting
from .time_recognition import TimeGuess, recognise_time
from .value_types import recognise_type

__all__ = ["ColumnRoles", "recognise_columns"]

_TIME_NAMES = re.compile(
    r"(?i)^_?(?:date[ _-]?time|time[ _-]?stamp|time|ts|t|date|datum|zeit|when|at|result_?time|.*_(?:at|ts|time))$"
)
_TIME_OF_DAY = r"^\s*[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*$"
_TIME_PARTS = re.compile(r"(?i)time|date|stamp")


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """What the columns of a table are for.

    Attributes:
        time: the column of the time stamps.
        written: how they are written.
        types: XSD datatype by local name, of every other column, in order.
        distinct: how many different values each of these has.
        other_times: columns that hold time stamps as well.
        time_of_day: a column with hours and minutes, where `time` has days only; `None`: there is none.
    """

    time: str
    written: TimeGuess
    types: Mapping[str, str]
    distinct: Mapping[str, int]
    other_times: tuple[str, ...] = ()
    time_of_day: str | None = None

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns of numbers and truth values."""
        return tuple(name for name, kind in self.types.items() if kind not in {"string", "dateTime"})

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of texts."""
        return tuple(name for name, kind in self.types.items() if kind == "string")


def recognise_columns(table: pa.Table, time: str | None = None) -> ColumnRoles | None:
    """Find out what each column is for; `None`: no column holds time stamps. Columns of lists and structs are none.

    Of several columns with time stamps the one counts whose name says so, then text before numbers, then the first.

    Args:
        table: raw values, in order.
        time: the column of the time stamps, if it is known.
    """
    table = table.select([name for name in table.column_names if not type_nesting(table[name].type)])
    named = [name for name in table.column_names if time is None or name == time]
    found = {name: guess for name in named if (guess := recognise_time(table[name])) is not None}
    if not found:
        return None
    chosen = min(found, key=lambda name: (_unlike_time(name), _is_count(found[name]), -found[name].share))
    others = [name for name in table.column_names if name != chosen]
    times = tuple(name for name in found if name != chosen and not _is_count(found[name]))
    moments = {name for name in times if found[name].format == "iso"}
    types = {name: "dateTime" if name in moments else recognise_type(table[name]) for name in others}
    distinct = {name: pc.count_distinct(table[name]).as_py() for name in others}
    of_day = _time_of_day(table, chosen, [name for name, kind in types.items() if kind == "string"])
    return ColumnRoles(chosen, found[chosen], types, distinct, times, of_day)


def _time_of_day(table: pa.Table, time: str, texts: Sequence[str]) -> str | None:
    """The column that says when on the days that the column of the time stamps has."""
    if not pa.types.is_string(table[time].type) or pc.any(pc.match_substring(table[time], ":"), min_count=0).as_py():
        return None
    columns = {name: table[name].drop_null() for name in texts if pa.types.is_string(table[name].type)}
    hours = (n for n, c in columns.items() if len(c) and pc.all(pc.match_substring_regex(c, _TIME_OF_DAY)).as_py())
    return next(hours, None)


def _is_count(guess: TimeGuess) -> bool:
    return guess.format in EPOCHS


def _unlike_time(name: str) -> int:
    if _TIME_NAMES.match(name.strip()):
        return 0
    return 1 if _TIME_PARTS.search(name) else 2
