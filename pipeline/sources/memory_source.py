"""Recorded raw tuples as programs have them: Python dictionaries, or the columns of any library."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl
import pyarrow as pa
import pyarrow.interchange

from ...annotator import MOST_NESTED, TOO_DEEP, value_nesting
from ...errors import PipelineError
from .records import table_of_dicts
from .text_lines import checked_text

__all__ = ["ArrowStream", "InterchangeFrame", "RawColumns", "RawTuples", "raw_table"]


class ArrowStream(Protocol):
    """Gives its columns by the Arrow PyCapsule interface: data frames of Polars and pandas, relations of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The columns."""


class InterchangeFrame(Protocol):
    """Gives its columns by the data frame interchange protocol."""

    def __dataframe__(self, *, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        """The columns."""


RawColumns: TypeAlias = "ArrowStream | InterchangeFrame | pl.LazyFrame | pa.RecordBatch | pa.dataset.Dataset"
RawTuples: TypeAlias = "RawColumns | Sequence[Mapping[str, object]]"

# What pandas calls an index that has no name: it is no attribute of a tuple.
_INDEX = re.compile(r"__index_level_\d+__")
_PLAIN = (str, float, int, type(None))
_WAYS = "give a list of dictionaries, a data frame (Polars, pandas, DuckDB, pyarrow), or the path of a file"


def raw_table(tuples: RawTuples) -> pa.Table:
    """Columns of raw tuples, as a source would give them that reads the same from JSON.

    Raises:
        PipelineError: they are neither columns nor dictionaries.
    """
    if not isinstance(tuples, Sequence):
        return _columns(tuples)
    odd = [tuples] if isinstance(tuples, str) else [row for row in tuples if not isinstance(row, Mapping)]
    if odd:
        raise PipelineError(f"{odd[0]!r} is no raw tuple", hint=_WAYS)
    for number, row in enumerate(tuples, 1):
        if any(value_nesting(value) > MOST_NESTED for value in row.values() if not isinstance(value, _PLAIN)):
            raise PipelineError(f"raw tuple {number} is {TOO_DEEP}", hint="leave out what lies so deep")
    return table_of_dicts(tuples)


def _is_dataset(given: object) -> bool:
    """Whether it is one of Arrow's, whose module loads pandas: it is not loaded for the sake of this question."""
    datasets = sys.modules.get("pyarrow.dataset")
    return datasets is not None and isinstance(given, datasets.Dataset | datasets.Scanner)


def _columns(given: Any) -> pa.Table:
    try:
        match given:
            case pa.Table():
                found = given
            case _ if _is_dataset(given):
                found = given.to_table()
            case pl.LazyFrame():
                found = given.collect().to_arrow()
            case _ if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
                found = pa.table(given)
            case _ if hasattr(given, "__dataframe__"):
                found = pa.interchange.from_dataframe(given)
            case _:
                raise PipelineError(f"{given!r} is no raw tuple", hint=_WAYS)
        checked_text(found)
    except pa.ArrowMemoryError:
        raise
    except pa.ArrowException as error:
        reason = str(error).splitlines()[0]
        raise PipelineError(
            f"the columns of the {type(given).__name__} cannot be read: {reason}",
            hint="let each column hold values of one kind",
        ) from error
    return found.select([name for name in found.column_names if not _INDEX.fullmatch(name)])
