"""The name of each record's file as a column, where a sensor has a file of its own."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np
import pyarrow as pa

from ....storage import uncompressed_name
from ..records import RawBatch

__all__ = ["file_stem", "with_file_names"]


def with_file_names(batch: RawBatch, column: str) -> pa.Table:
    """The table of a batch with one more column, the name of each record's file without folder and ending.

    Args:
        batch: its origin says where the files begin.
        column: its name; a column of that name in the files goes.
    """
    names = [file_stem(name) for name in batch.origin.names()] or [""]
    rows = batch.table.num_rows
    numbers = np.arange(rows) if batch.numbers is None else batch.numbers
    stretch = np.searchsorted(np.asarray(batch.origin.starts), numbers, side="right") - 1
    files = pa.DictionaryArray.from_arrays(pa.array(stretch.astype(np.int32)), pa.array(names, pa.string()))
    kept = [name for name in batch.table.column_names if name != column]
    return pa.table({**{name: batch.table[name] for name in kept}, column: files})


def file_stem(path: str) -> str:
    """`ahu1_temp` of `data/ahu1_temp.csv.gz`: the file's name without folder, ending and compression."""
    name = uncompressed_name(PurePath(path).name)
    return name.rpartition(".")[0] or name
