"""The explanation of a row, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ...pipeline.sinks import iso
from ..rows import KnownRow, LyingWindow, Opener, OpenerKind, RowExplanation
from .reason_json import json_value

__all__ = ["row_dict", "row_lines"]


def row_lines(told: RowExplanation) -> Iterator[str]:
    """The explanation in lines."""
    yield f"row {told.id} of {told.query} at {iso(told.time)}"
    yield f"  of {_events(told.events)}"
    if told.change is not None:
        yield f"  it does {told.change}: {told.effect}"
    for window in told.windows:
        yield from _window(window)
    if not told.windows and not told.notes and told.change is None:
        yield "  the query is in no context"
    yield from (f"  {note}" for note in told.notes)


def _window(window: LyingWindow) -> Iterator[str]:
    key = ", ".join(f"{name} = {value}" for name, value in window.key.items())
    yield f"  in {window.context} of {window.set}{f', partition of {key}' if key else ''}"
    since = "from the beginning" if window.since is None else f"since {iso(window.since)}"
    yield f"    {since}, {'open' if window.until is None else f'until {iso(window.until)}'}"
    if window.values:
        yield f"    with {', '.join(f'{name} = {json_value(value)}' for name, value in window.values.items())}"
    yield f"    {_opener(window.opener)}"
    if window.opener.row is not None:
        yield f"      of {_events(window.opener.row.events)}"
        if window.opener.row.contexts:
            yield f"      in {' and '.join(window.opener.row.contexts)}: `kaicep why {window.opener.row.id}`"


def _opener(opener: Opener) -> str:
    row = "" if opener.row is None else f"row {opener.row.id} of {opener.row.query} at {iso(opener.row.time)}"
    match opener.kind:
        case OpenerKind.ROW:
            return f"opened by {row}"
        case OpenerKind.CALENDAR:
            return "by its calendar"
        case OpenerKind.DEFAULT:
            since = f"since {row} ended the last other" if row else opener.note
            return f"the default: no other held; {since}"
        case OpenerKind.UNKNOWN:
            return f"it is not known which row opened it: {opener.note}"


def _events(events: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"?{variable} {', '.join(ids) or 'none'}" for variable, ids in events.items())


def row_dict(told: RowExplanation) -> dict[str, Any]:
    """The explanation for a machine."""
    return {
        "query": told.query,
        "row": told.id,
        "time": iso(told.time),
        "events": {variable: list(ids) for variable, ids in told.events.items()},
        "change": told.change,
        "effect": told.effect,
        "contexts": [_window_dict(window) for window in told.windows],
        "notes": list(told.notes),
    }


def _window_dict(window: LyingWindow) -> dict[str, Any]:
    opener = window.opener
    return {
        "set": window.set,
        "context": window.context,
        "key": dict(window.key),
        "since": _moment(window.since),
        "until": _moment(window.until),
        "values": {name: json_value(value) for name, value in window.values.items()},
        "opener": {
            "kind": opener.kind.value,
            "row": None if opener.row is None else _row_dict(opener.row),
            "note": opener.note or None,
        },
    }


def _row_dict(row: KnownRow) -> dict[str, Any]:
    events = {variable: list(ids) for variable, ids in row.events.items()}
    return {"query": row.query, "row": row.id, "time": iso(row.time), "events": events, "contexts": list(row.contexts)}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)
