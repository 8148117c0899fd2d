"""Functions over Arrow tables, called by Spark's executors piece by piece."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as PySpark's own documentation has it
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from ..errors import PipelineError

__all__ = ["mapped", "pandas_at_hand", "spark_schema"]

_ROW = "row"


def mapped(df: DataFrame, function: Callable[[pa.Table], pa.Table], schema: StructType) -> DataFrame:
    """A DataFrame through a function, whose tables have a schema; names of columns may be any.

    Raises:
        PipelineError: pandas is missing.
    """
    with pandas_at_hand():  # as one column: a dot in a name would be taken for a field of a column
        return df.select(F.struct("*").alias(_ROW)).mapInArrow(_Pieces(function), schema)


def spark_schema(schema: pa.Schema) -> StructType:
    """The columns of Arrow tables as Spark's."""
    return from_arrow_schema(schema, prefer_timestamp_ntz=False)


@contextmanager
def pandas_at_hand() -> Iterator[None]:
    """Let PySpark make functions over Arrow, which it does only where there is pandas.

    Raises:
        PipelineError: there is none.
    """
    if find_spec("pandas") is None:
        raise PipelineError(
            "PySpark calls no function over Arrow without pandas",
            hint='install it on driver and executors: pip install "kaicep[spark]"',
        )
    with warnings.catch_warnings():  # no data frame of pandas is made of what people give
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


@dataclass(frozen=True, slots=True)
class _Pieces:
    function: Callable[[pa.Table], pa.Table]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = pa.RecordBatch.from_struct_array(batch.column(0))
            yield from self.function(pa.Table.from_batches([rows])).to_batches()
