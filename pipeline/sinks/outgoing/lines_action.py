"""Rows as JSON lines behind what a file has, each once.

What was written when the engine was killed, and not noted any more, stands at the end of the file: one thread writes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import orjson

from ....storage import append_durably, folder_name, fsync, make_folder
from ...actions import ActionCall, ActionSpec, DeliveryError

__all__ = ["LinesAction"]

_AT_ONCE = 1000
_END = 16_000_000
"""So many bytes at the end of a file are looked through for rows that come again."""

_Row = tuple[str, str]


class LinesAction:
    """Appends rows to a file; see `Action`.

    Args:
        spec: what it is made of.
        path: of the file, from the folder of the project; `{query}` in it is the query.
    """

    batch = _AT_ONCE
    needs: frozenset[str] = frozenset()

    def __init__(self, spec: ActionSpec, path: str) -> None:
        self._path = str(spec.root / path)
        self._there: dict[Path, frozenset[_Row]] = {}

    def check(self) -> None:
        """See `Action.check`: whether the file can be written is seen when there is a row."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`: all of them, or none."""
        path = Path(self._path.replace("{query}", folder_name(calls[0].rule)))
        try:
            make_folder(path.parent)
            if path not in self._there:
                self._there[path] = _rows_at_end(path)
            new = [call.arguments for call in calls if (call.rule, call.id) not in self._there[path]]
            append_durably(path, "".join(f"{line}\n" for line in new).encode())
        except OSError as error:
            raise DeliveryError(f"{path} cannot be written: {error.strerror or error}") from None

    def close(self) -> None:
        """See `Action.close`."""


def _rows_at_end(path: Path) -> frozenset[_Row]:
    """The query and `_id` of the last rows of a file, whose last line is made whole, or cut off where it is none."""
    if not path.exists():
        return frozenset()
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _END))
        *lines, last = file.read().split(b"\n")
    if _is_json(last):
        append_durably(path, b"\n")
        lines.append(last)
    elif last:
        os.truncate(path, size - len(last))
        fsync(path)
    found: set[_Row] = set()
    for line in lines[-_AT_ONCE:]:
        with suppress(orjson.JSONDecodeError, KeyError, TypeError):  # somebody else's line
            row = orjson.loads(line)
            found.add((row["_query"], row["_id"]))
    return frozenset(found)


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True
