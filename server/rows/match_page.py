"""A page of rows, and where the next one begins."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..problem import ProblemError
from .match_reader import MatchReader, MatchRow
from .row_cursor import RowCursor

__all__ = ["MatchPage", "match_page"]

_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Some rows.

    Attributes:
        columns: of the rows: the items in the order of SELECT, then `_time` and the others that kaicep adds.
        rows: the oldest first.
        next: the place behind them, for `after` and `last_event_id`; `None`: there are no rows up to here.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    next: str | None


def match_page(reader: MatchReader, query: str, after: str | None, limit: int, last: int | None) -> MatchPage:
    """The rows behind a place, or the last ones.

    Args:
        reader: of the log.
        query: whose rows.
        after: a place, or the `_id` of a row; `None`: before the first row.
        limit: so many at most.
        last: so many of the newest, instead.

    Raises:
        ProblemError: 400, `after` is no place, or stands beside `last`; 404, no row has that id.
    """
    if last is not None and after is not None:
        raise ProblemError(400, "after and last contradict each other", "leave one of them out")
    if last is not None:
        found, place = reader.newest(query, last), None
    else:
        place = _place(reader, query, after)
        found = reader.after(query, place, limit)
    columns = _columns(found) if found else reader.columns(query)
    end = found[-1].cursor if found else reader.reached(query, place)
    return MatchPage(columns, tuple(one.row for one in found), None if end is None else str(end))


def _columns(found: Sequence[MatchRow]) -> tuple[str, ...]:
    """The items, in the order of the query's text that found the newest row; then what kaicep says of rows."""
    names = dict.fromkeys(name for one in reversed(found) for name in one.row)
    return tuple(sorted(names, key=lambda name: name.startswith("_")))


def _place(reader: MatchReader, query: str, after: str | None) -> RowCursor | None:
    if after is None or _ID.fullmatch(after) is None:
        return RowCursor.parse(after)
    found = reader.cursor_of(query, after)
    if found is None:
        raise ProblemError(404, f"no row of '{query}' has the id '{after}'", "copy _id of a row, or take next")
    return found
