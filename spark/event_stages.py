"""The single stages on executors: raw tuples to events, what is none, and the events that PATHs and FILTERs select."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from ..pipeline import Catalog
from .arrow_mapping import mapped, spark_schema
from .candidate_filter import CandidateFilter
from .event_tables import REASON, check_single, event_schema, plain_events, rejected_rows
from .remote_project import RemoteProject

__all__ = ["annotate", "filter_events", "rejected"]


def annotate(df: DataFrame, project: Catalog, stream: str) -> DataFrame:
    """The semantic events of raw tuples, on executors: a stage by itself, without duplicates or lateness being judged.

    Args:
        df: raw tuples, streaming or not; its columns are the attributes of the stream, by name.
        project: of the stream.
        stream: its name.

    Returns:
        `_time`, `_id`, a column for each declared attribute, one called by the property's IRI for each that stands for
        individuals, and `_extra` (docs/log-format.md). What is no event is left out: see `rejected`.

    Raises:
        QueryTypeError: the project has no such stream.
        PipelineError: pandas is missing, without which PySpark calls no function over Arrow.
    """
    project.check_stream(stream)
    remote = RemoteProject.of(project, df.sparkSession)
    schema = spark_schema(event_schema(project.annotators[stream].shape))
    return mapped(df, _Stage(remote, stream, plain_events), schema)


def rejected(df: DataFrame, project: Catalog, stream: str) -> DataFrame:
    """The raw tuples that are no events, as they came, with their `_reason`; else as `annotate`.

    Raises:
        PlanError: the stream's source makes several tuples of one.
    """
    project.check_stream(stream)
    check_single(project, stream, "rejected")
    remote = RemoteProject.of(project, df.sparkSession)
    schema = StructType([*df.schema.fields, StructField(REASON, StringType())])
    return mapped(df, _Stage(remote, stream, rejected_rows), schema)


def filter_events(df: DataFrame, project: Catalog, stream: str, clauses: str) -> DataFrame:
    """The events of a stream that PATHs and FILTERs select, on executors.

    Args:
        df: events, as `annotate` gives them, streaming or not; other columns may stand beside.
        project: of the stream.
        stream: its name.
        clauses: `PATH {…}` and `FILTER (…)` of the event variable `?e`.

    Returns:
        The rows of `df` that are candidates.

    Raises:
        QuerySyntaxError, QueryTypeError: the clauses are wrong, with the way out.
        PipelineError: pandas is missing, without which PySpark calls no function over Arrow.
    """
    project.check_stream(stream)
    CandidateFilter(project, stream, clauses)
    return mapped(df, _Selection(RemoteProject.of(project, df.sparkSession), stream, clauses), df.schema)


@dataclass(frozen=True, slots=True)
class _Stage:
    remote: RemoteProject
    stream: str
    of: Callable[[Catalog, str, pa.Table], pa.Table]

    def __call__(self, raw: pa.Table) -> pa.Table:
        return self.of(self.remote.catalog, self.stream, raw)


@dataclass(frozen=True, slots=True)
class _Selection:
    remote: RemoteProject
    stream: str
    clauses: str

    def __call__(self, events: pa.Table) -> pa.Table:
        return _opened(self).select(events)


@lru_cache(16)
def _opened(one: _Selection) -> CandidateFilter:
    """A filter with the verdicts that this worker has found."""
    return CandidateFilter(one.remote.catalog, one.stream, one.clauses)
