"""Rows as files of Parquet, `<folder>/<query>/<number>.parquet`, each row once.

What was written when the engine was killed, and not noted any more, is the newest file of its query: one thread writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ....storage import folder_name, make_folder, remove_temporaries, write_atomically
from ...actions import ActionCall, ActionSpec, DeliveryError

__all__ = ["ParquetAction"]

_AT_ONCE = 10_000
_FILES = "*.parquet"
_TIME = "_time"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of rows: the last one that was written of a query, or none yet."""

    number: int = 0
    schema: pa.Schema = field(default_factory=lambda: pa.schema([]))


class ParquetAction:
    """Writes rows into files; see `Action`.

    Args:
        spec: what it is made of.
        folder: from the folder of the project.
    """

    batch = _AT_ONCE
    needs: frozenset[str] = frozenset()

    def __init__(self, spec: ActionSpec, folder: str) -> None:
        self._folder = spec.root / folder
        self._newest: dict[str, _File] = {}
        self._there: dict[str, frozenset[str]] = {}

    def check(self) -> None:
        """See `Action.check`: whether files can be written is seen when there is a row."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`: all of them, or none."""
        query = calls[0].rule
        folder = self._folder / folder_name(query)
        try:
            make_folder(folder)
            if query not in self._newest:
                self._newest[query], self._there[query] = _found(folder)
            rows = [json.loads(call.arguments) for call in calls if call.id not in self._there[query]]
            if rows:
                self._newest[query] = _written(
                    folder, _table(query, rows, self._newest[query].schema), self._newest[query]
                )
        except (OSError, pa.ArrowException) as error:
            raise DeliveryError(f"{folder} cannot be written: {getattr(error, 'strerror', None) or error}") from None

    def close(self) -> None:
        """See `Action.close`."""


def _found(folder: Path) -> tuple[_File, frozenset[str]]:
    """The newest file of a query, and the `_id`s of its rows."""
    remove_temporaries(folder)
    newest = max((file for file in folder.glob(_FILES) if file.stem.isdecimal()), default=None)
    if newest is None:
        return _File(), frozenset()
    found = _File(int(newest.stem), pq.read_schema(newest).remove_metadata())
    return found, frozenset(pq.read_table(newest, columns=["_id"])["_id"].to_pylist())


def _written(folder: Path, rows: pa.Table, before: _File) -> _File:
    number = before.number + 1
    with write_atomically(folder / f"{number:012}.parquet") as temporary:
        pq.write_table(rows, temporary)
    return _File(number, rows.schema)


def _table(query: str, rows: Sequence[Mapping[str, Any]], before: pa.Schema) -> pa.Table:
    """Rows as columns; those that the file before had have its types, or wider ones.

    Raises:
        DeliveryError: one has values that do not go together.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    try:
        found = pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})
        times = found[_TIME].cast(pa.timestamp("us", "UTC"))
    except (pa.ArrowException, OverflowError) as error:
        said = str(error).splitlines()[0]
        raise DeliveryError(f"rows of {query} do not go into a file: {said}", refused=True) from None
    found = found.set_column(found.schema.get_field_index(_TIME), _TIME, times)
    try:
        schema = pa.unify_schemas([before, found.schema], promote_options="permissive")
    except pa.ArrowException:  # a text where there were numbers: who reads them all together has to say what they are
        return found
    return pa.table({field.name: _column(found, field) for field in schema})


def _column(found: pa.Table, field: pa.Field) -> pa.ChunkedArray | pa.Array:
    if field.name not in found.column_names:
        return pa.nulls(found.num_rows, field.type)
    return found[field.name].cast(field.type)
