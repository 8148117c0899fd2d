"""Rows as files of Parquet, `<folder>/<query>/<number>.parquet`, each row once.

What was written when the engine was killed, and not noted any more, is the newest file of its query: one thread writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
        self._newest: dict[str, Path | None] = {}
        self._there: dict[str, frozenset[str]] = {}

    def check(self) -> None:
        """See `Action.check`: whether files can be written is seen when there is a row."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`: all of them, or none."""
        query = calls[0].rule
        folder = self._folder / folder_name(query)
        try:
            self._begin(query, folder)
            rows = [json.loads(call.arguments) for call in calls if call.id not in self._there[query]]
            if rows:
                self._newest[query] = _written(rows, folder, self._newest[query])
        except OSError as error:
            raise DeliveryError(f"{folder} cannot be written: {error.strerror or error}") from None
        except (pa.ArrowException, OverflowError) as error:
            said = str(error).splitlines()[0]
            raise DeliveryError(f"rows of {query} do not go into a file: {said}", refused=True) from None

    def _begin(self, query: str, folder: Path) -> None:
        """See which rows are there, once."""
        make_folder(folder)
        if query not in self._there:
            remove_temporaries(folder)
            newest = max((file for file in folder.glob(_FILES) if file.stem.isdecimal()), default=None)
            self._there[query], self._newest[query] = _ids_of(newest), newest

    def close(self) -> None:
        """See `Action.close`."""


def _written(rows: Sequence[Mapping[str, Any]], folder: Path, before: Path | None) -> Path:
    number = 1 if before is None else int(before.stem) + 1
    file = folder / f"{number:012}.parquet"
    with write_atomically(file) as temporary:
        pq.write_table(_table(rows, None if before is None else pq.read_schema(before)), temporary)
    return file


def _ids_of(file: Path | None) -> frozenset[str]:
    return frozenset() if file is None else frozenset(pq.read_table(file, columns=["_id"])["_id"].to_pylist())


def _table(rows: Sequence[Mapping[str, Any]], before: pa.Schema | None) -> pa.Table:
    """Rows as columns; those that the file before had have its types, or wider ones."""
    names = dict.fromkeys(name for row in rows for name in row)
    found = pa.table({name: pa.array([row.get(name) for row in rows]) for name in names})
    times = found[_TIME].cast(pa.timestamp("us", "UTC"))
    found = found.set_column(found.schema.get_field_index(_TIME), _TIME, times)
    if before is None:
        return found
    try:
        schema = pa.unify_schemas([before.remove_metadata(), found.schema], promote_options="permissive")
    except pa.ArrowException:  # a text where there were numbers: who reads them all together has to say what they are
        return found
    return pa.table({field.name: _column(found, field) for field in schema})


def _column(found: pa.Table, field: pa.Field) -> pa.ChunkedArray | pa.Array:
    if field.name not in found.column_names:
        return pa.nulls(found.num_rows, field.type)
    return found[field.name].cast(field.type)
