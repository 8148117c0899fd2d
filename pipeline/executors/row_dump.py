"""The rows of a stream in a batch, written down by those who read them: no process has all of them.

Spark writes Parquet, a file for each of its partitions, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from ...config import Settings
from ...errors import PipelineError
from ..sources import first_line, rows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["write_rows"]

_MOMENTS = "spark.sql.parquet.outputTimestampType"
_ORDER = ("topic", "partition", "offset")


def write_rows(batch: DataFrame, settings: Settings, stream: str, folder: Path) -> Sequence[tuple[Path, int]]:
    """Let Spark write the rows that a batch of `read_streams` has of a stream without files.

    Args:
        batch: as Spark gives it.
        settings: of the project.
        stream: its name.
        folder: a new one, which executors reach.

    Returns:
        The files, in order of arrival, each with the number of rows that come before it.

    Raises:
        PipelineError: Spark cannot read or write them.
    """
    from py4j.protocol import Py4JError  # noqa: PLC0415 - whoever reads recordings without Spark needs it not
    from pyspark.errors import PySparkException  # noqa: PLC0415 - likewise

    try:
        batch.sparkSession.conf.set(_MOMENTS, "TIMESTAMP_MICROS")  # the session is that of the streams alone
        rows_of(batch, settings, stream).write.parquet(str(folder))
    except (PySparkException, Py4JError) as error:
        raise PipelineError(
            f"Spark cannot read a batch: {first_line(error)}",
            hint="check the sources of the project; the batch is read again at the next start",
        ) from error
    files = [(path, pq.ParquetFile(path)) for path in sorted(folder.glob("part-*.parquet"))]
    some = [(path, file) for path, file in files if file.metadata.num_rows]
    source = settings.streams[stream].source
    if source is not None and source.kafka is not None:
        some.sort(key=lambda one: _place(one[1]))
    found, before = [], 0
    for path, file in some:
        found.append((path, before))
        before += file.metadata.num_rows
    return found


def _place(file: pq.ParquetFile) -> tuple[object, ...]:
    """Where the first row stands in its topic."""
    (first,) = next(file.iter_batches(batch_size=1, columns=list(_ORDER))).to_pylist()
    return tuple(first[name] for name in _ORDER)
