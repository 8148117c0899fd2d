"""A document over recorded events: the same operators as in the engine, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..language import Query
from .dataflow import Dataflow
from .flow import Registration
from .rows import rows
from .tuples import RawTuples, raw_table


def evaluate(
    dataflow: Dataflow,
    queries: Sequence[Query],
    streams: Mapping[str, RawTuples],
    registered_at: datetime | None,
) -> list[dict[str, Any]]:
    """The rows of the last query over whole streams that end.

    Args:
        dataflow: a fresh one.
        queries: of a document, in order.
        streams: raw tuples by stream, in order of arrival.
        registered_at: see `Project.evaluate`.
    """
    raw = {name: raw_table(tuples) for name, tuples in streams.items()}
    past = {} if registered_at is None else delivered_before(dataflow, raw, registered_at)
    labels = [query.name or f"query-{position}" for position, query in enumerate(queries, 1)]
    for query, label in zip(queries, labels, strict=True):
        now = max((past[s] for s in dataflow.origins(query) if s in past), default=None)
        dataflow.register(Registration(query, label, now))
    done = dataflow.process(raw).matches[labels[-1]], dataflow.finish().matches[labels[-1]]
    return [row for table in done for row in rows(table)]


def delivered_before(dataflow: Dataflow, raw: Mapping[str, pa.Table], moment: datetime) -> dict[str, datetime]:
    """Per stream the greatest time stamp below `moment`: its time when the query was registered."""
    times = {name: dataflow.annotators[name].annotate(table).events["_time"] for name, table in raw.items()}
    before = {name: pc.max(pc.filter(t, pc.less(t, pa.scalar(moment, t.type)))).as_py() for name, t in times.items()}
    return {name: time for name, time in before.items() if time is not None}
