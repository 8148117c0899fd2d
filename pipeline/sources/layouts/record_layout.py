"""What a source's settings say of how records lie in its files, applied to a batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from ....config import StreamSettings
from ..records import RawBatch
from .file_name_column import with_file_names
from .unpivot import Unpivoted, unpivot_table

__all__ = ["reshape", "reshape_table"]


def reshape(batch: RawBatch, stream: StreamSettings) -> RawBatch:
    """The records of a batch one reading each; the batch itself where rows are records already."""
    source = stream.source
    if source is None or (source.file_name is None and source.unpivot is None):
        return batch
    if source.file_name is not None:
        batch = replace(batch, table=with_file_names(batch, source.file_name))
    unpivoted = _unpivoted(batch.table, stream)
    if unpivoted is None or source.unpivot is None:
        return batch
    numbers = unpivoted.rows if batch.numbers is None else batch.numbers[unpivoted.rows]
    columns = unpivoted.table[source.unpivot.name].combine_chunks()
    return replace(batch, table=unpivoted.table, numbers=numbers.astype(np.int64), columns=columns)


def reshape_table(table: pa.Table, stream: StreamSettings) -> pa.Table:
    """Likewise of a table that comes from no file; one that has the names and values already is as it should be."""
    unpivot_settings = None if stream.source is None else stream.source.unpivot
    if unpivot_settings is None or {unpivot_settings.name, unpivot_settings.value} <= set(table.column_names):
        return table
    unpivoted = _unpivoted(table, stream)
    return table if unpivoted is None else unpivoted.table


def _unpivoted(table: pa.Table, stream: StreamSettings) -> Unpivoted | None:
    settings = None if stream.source is None else stream.source.unpivot
    if settings is None:
        return None
    kept = {stream.time.attribute, *stream.attributes, *settings.index}
    on = [n for n in table.column_names if (n in settings.on if settings.on else n not in kept)]
    return unpivot_table(table, on, settings.name, settings.value)
