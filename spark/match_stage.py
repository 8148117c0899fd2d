"""The rows of a query from DataFrames of raw events: of a past in shards, of a stream with a state that lasts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as PySpark's own documentation has it
from pyspark.sql.streaming.state import GroupStateTimeout

from ..errors import PlanError
from ..language.nodes import Query
from ..pipeline import Catalog, queries_read
from .arrow_mapping import mapped, pandas_at_hand, spark_schema
from .document_answer import DocumentAnswer, row_columns
from .event_tables import ARRIVAL, PARCELS, arrived_events, check_single, looked_at, parcels, plain_events, unpacked
from .remote_project import RemoteProject
from .shard_keys import shard_keys
from .streamed_answer import STATE, StreamedAnswer

__all__ = ["matches"]

_SHARDS_A_CORE = 2


def matches(
    df: DataFrame | Mapping[str, DataFrame], project: Catalog, query: str, *, arrival: str | Sequence[str] = ()
) -> DataFrame:
    """The rows of a document's last query, from raw events; equal to those of `project.evaluate`.

    Tuples are annotated on all executors. A past (a batch DataFrame, which ends) is then answered in as many shards as
    the query lets it be cut into (PARTITION BY, equality JOINs, GROUP BY), else by one task. A stream is answered by
    one task, for lateness is judged by all of its events; its state lies in the checkpoint of the streaming query, and
    rows come when the watermark makes them certain: `outputMode("append")`.

    A DataFrame has no order of arrival. Without `arrival` the events of a past, and those of each micro-batch, come in
    order of time: in a past none is late, in a stream what lies below the watermark of the batches before.

    Args:
        df: raw tuples of the stream that the document reads; of several by the streams' names, all streaming or none.
        project: of the streams. Its actions and archive are left out.
        query: a χ-CEP document, with whatever queries it reads.
        arrival: columns or SQL expressions of `df` in whose order events arrive, such as `_metadata.file_path`, or
            Kafka's `offset`; then lateness is judged as by `project.evaluate` of events in this order, which of those
            that they do not tell apart is that of time.

    Returns:
        The items, `_time`, `_events`, `_window` of aggregates, `_context` of queries in contexts, `_id`; in no order.

    Raises:
        QuerySyntaxError, QueryTypeError: with place and way out.
        PlanError: what cannot be answered from these DataFrames, and what to do.
        PipelineError: pandas is missing, without which PySpark calls no function over Arrow.
    """
    queries = _compiled(project, query)
    frames = _frames(df, project, queries)
    spark = next(iter(frames.values())).sparkSession
    arriving = (arrival,) if isinstance(arrival, str) else tuple(arrival)
    for name in frames if arriving else ():
        check_single(project, name, "arrival")
    streaming = any(frame.isStreaming for frame in frames.values())
    keys = None if streaming or arriving else shard_keys(queries, project.annotators)
    shards = 1 if keys is None else _SHARDS_A_CORE * spark.sparkContext.defaultParallelism
    remote, needed = RemoteProject.of(project, spark), DocumentAnswer(project, query).columns
    packings = {
        name: _Packing(remote, name, tuple(needed.get(name, ())), None if keys is None else keys[name], shards)
        for name in frames
    }
    packed = [_packed(frame, packings[name], arriving) for name, frame in frames.items()]
    together = reduce(DataFrame.unionAll, packed)
    schema = spark_schema(row_columns(project, queries[-1]))
    with pandas_at_hand():
        if not streaming:
            # As many tasks as shards, whatever spark.sql.shuffle.partitions says.
            grouped = together.repartition(shards, "shard").groupBy("shard")
            return grouped.applyInArrow(_past_answer(remote, query), schema)
        rows = together.groupBy("shard").applyInPandasWithState(
            StreamedAnswer(remote, query), "payload binary", STATE, "append", GroupStateTimeout.NoTimeout
        )
    return mapped(rows, _Payloads(), schema)


def _compiled(project: Catalog, text: str) -> tuple[Query, ...]:
    """The queries of a document that stands by itself.

    Raises:
        PlanError: it reads others, asks nothing, or does something.
    """
    read = [query.called or "" for query in queries_read(project, text)]
    if read:
        raise PlanError(
            f"the document reads {', '.join(read)} of the project's files",
            hint="write these queries in front of it, in the same document: executors have no files of the project",
        )
    queries = project.compile(text)
    if not queries or queries[-1].rule is not None or queries[-1].change is not None:
        raise PlanError("the document's last query has no rows", hint="add a query, such as SELECT …")
    for query in queries:
        if query.rule is not None and any(action.kind.value == "CALL" for action in query.rule.actions):
            raise PlanError(f"rule {query.called} calls actions", hint="let an engine answer it: kaicep.Engine")
    return queries


def _frames(
    df: DataFrame | Mapping[str, DataFrame], project: Catalog, queries: Sequence[Query]
) -> Mapping[str, DataFrame]:
    """The DataFrame of each stream that a document reads.

    Raises:
        QueryTypeError: there is no such stream.
        PlanError: one is missing, or some are streams and some are not.
    """
    read = dict.fromkeys(s.stream.name for q in queries for s in q.sources if s.stream.name in project.annotators)
    if not isinstance(df, Mapping):
        if len(read) != 1:
            raise PlanError(
                f"the document reads {len(read)} streams: {', '.join(read)}",
                hint=f"give a DataFrame for each: {{{', '.join(f'{name!r}: …' for name in read)}}}",
            )
        return dict.fromkeys(read, df)
    for name in df:
        project.check_stream(name)
    missing = [name for name in read if name not in df]
    if missing:
        raise PlanError(f"there is no DataFrame for {', '.join(missing)}", hint=f"give {missing[0]!r}: … too")
    found = {name: df[name] for name in read}
    if len({frame.isStreaming for frame in found.values()}) > 1:
        still = [name for name, frame in found.items() if not frame.isStreaming]
        raise PlanError(
            f"{', '.join(still)}: no stream, beside others that are: of what comes later nobody knows its order",
            hint="read all with spark.readStream, or all with spark.read",
        )
    return found


def _packed(frame: DataFrame, packing: _Packing, arrival: Sequence[str]) -> DataFrame:
    """Raw tuples as rows of `PARCELS`, on executors."""
    if arrival:
        frame = frame.withColumn(ARRIVAL, F.struct(*map(F.expr, arrival)))
    return mapped(frame, packing, spark_schema(PARCELS))


@dataclass(frozen=True, slots=True)
class _Packing:
    remote: RemoteProject
    stream: str
    columns: tuple[str, ...]
    key: str | None
    shards: int

    def __call__(self, raw: pa.Table) -> pa.Table:
        needed = self.columns if self.key is None else (*self.columns, self.key)
        events = looked_at(plain_events(self.remote.catalog, self.stream, raw), needed)
        return pa.Table.from_batches(parcels(self.stream, events, self.key, self.shards), PARCELS)


def _past_answer(remote: RemoteProject, text: str) -> Callable[[pa.Table], pa.Table]:
    """What answers a shard of a past, which ends; PySpark tells by a function's parameters what to call it with."""

    def rows(shard: pa.Table) -> pa.Table:
        return DocumentAnswer(remote.catalog, text).rows(arrived_events(shard), ends=True)

    return rows


@dataclass(frozen=True, slots=True)
class _Payloads:
    def __call__(self, rows: pa.Table) -> pa.Table:
        return unpacked(rows["payload"].to_pylist())
