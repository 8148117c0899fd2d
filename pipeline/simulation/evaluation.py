"""A document over recorded events: the same operators as in the engine, without Spark."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...cep import joined_rows
from ...cep.output import reported_schema
from ...language.nodes import Query
from ...planner import Strategy
from ..catalog import Catalog, change_label
from ..flow import Batch, Registration
from ..flow.rules import by_time, in_order, shown_calls
from ..results import Rows, series_by_variable
from ..sources import RecordedEvents, concatenate, read_recording
from .outage_simulation import Outage, simulate_outage
from .registration_simulation import Gap, simulate
from .unusable_records import warn_of_unusable_records


def evaluate(
    project: Catalog,
    queries: Sequence[Query],
    streams: Mapping[str, RecordedEvents],
    gap: Gap | None,
    strategy: Strategy | None,
    *,
    archived: bool,
    down: Outage | None = None,
) -> Rows:
    """The rows of the last query over whole streams that end, and what rules call for rows of theirs.

    Args:
        project: of the streams and queries.
        queries: of a document, in order.
        streams: raw tuples by stream, in order of arrival, in any form that `read_recording` takes.
        gap: when the queries are registered, and what archive and live stream hold then; `None`: before all events.
        strategy: how an archived past is answered; `None`: as the planner chooses.
        archived: whether the past lies in an archive; otherwise all of it comes live.
        down: when no engine runs; `None`: never.

    Warns:
        UserWarning: of records that are no events, and of other queries that have failed.

    Raises:
        KaicepError: the last query has failed, or one whose output it reads.
    """
    raw, annotated = annotated_recordings(project, streams)
    past = {} if gap is None else _delivered_before(annotated, gap.moment)
    registrations = registrations_of(queries, past)
    called: list[pa.Table] = []
    kept: list[pa.Table] = []
    if down is not None:
        registered_at = None if gap is None else gap.moment
        tables = simulate_outage(
            project, registrations, (raw, annotated), down, calls=kept, registered_at=registered_at, strategy=strategy
        )
    elif archived and gap is not None:
        tables = simulate(project, registrations, annotated, gap, strategy, calls=called)
    else:
        tables = _live(project, registrations, annotated, called)
    last = queries[-1]
    found = joined_rows([*tables] or [reported_schema(last).empty_table()])
    prefixes = MappingProxyType(dict(project.settings.prefixes))
    series = MappingProxyType(series_by_variable(last, project.annotators, annotated))
    return Rows(found, prefixes, series, shown_calls(by_time([in_order(called), *kept])))


def annotated_recordings(
    project: Catalog, streams: Mapping[str, RecordedEvents]
) -> tuple[dict[str, pa.Table], dict[str, AnnotatedBatch]]:
    """Recorded streams as raw tuples, and annotated.

    Warns:
        UserWarning: of records that are no events.
    """
    stated = project.settings.streams
    read = {name: read_recording(recording, stated[name]) for name, recording in streams.items()}
    raw = {name: concatenate([batch.table for batch in batches]) for name, batches in read.items()}
    annotated = {name: project.annotators[name].annotate(table) for name, table in raw.items()}
    for name, batches in read.items():
        warn_of_unusable_records(name, batches, annotated[name])
    for name in [n for n in raw if (source := stated[n].source) is not None and source.order == "time"]:
        raw[name] = raw[name].take(annotated[name].events["_row"])
        annotated[name] = project.annotators[name].annotate(raw[name])
    return raw, annotated


def registrations_of(queries: Sequence[Query], past: Mapping[str, datetime]) -> list[Registration]:
    """The queries of a document as they are registered.

    Args:
        queries: in order.
        past: by stream, the greatest time stamp that it has delivered by then.
    """
    outputs: dict[str, list[Query]] = {}
    for query in queries:
        changed = [each.changes_stream for each in query.context_sets if each.name in query.changed_sets]
        for name in (*changed, *query.streams):
            outputs.setdefault(name, []).append(query)
    registrations: list[Registration] = []
    for position, query in enumerate(queries, 1):
        taken = [registration.label for registration in registrations]
        own = f"query-{position}" if query.change is None else change_label(query.change, taken)
        registrations.append(Registration(query, query.called or own, _now(past, query, outputs)))
    return registrations


def _live(
    project: Catalog, queries: Sequence[Registration], streams: Mapping[str, AnnotatedBatch], calls: list[pa.Table]
) -> Iterator[pa.Table]:
    """The rows of the last query when everything comes live; what rules call is added to `calls`."""
    dataflow = project.dataflow(isolated=True)
    for query in queries:
        dataflow.register(query)
    for batch in (Batch(streams), Batch(ends=True)):
        result = dataflow.process(batch)
        yield from result.rows_of(queries[-1].label)
        calls += result.called
        dataflow.queries.check(queries[-1].label)
    for label, flow in dataflow.flows.items():
        if flow.failure is not None:
            warnings.warn(f"'{label}' was stopped: {flow.failure}", stacklevel=4)


def _now(past: Mapping[str, datetime], query: Query, outputs: Mapping[str, Sequence[Query]]) -> datetime | None:
    """The greatest time stamp that a query's source streams have delivered, those of the queries it reads included.

    Args:
        past: by stream, the greatest time stamp.
        query: the query.
        outputs: by the names of their rows' streams, the queries; those that change contexts by that of the changes.
    """
    waiting, seen = [source.stream.name for source in query.sources], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [source.stream.name for other in outputs.get(name, ()) for source in other.sources]
    return max((moment for name in seen if (moment := past.get(name)) is not None), default=None)


def _delivered_before(annotated: Mapping[str, AnnotatedBatch], moment: datetime) -> dict[str, datetime]:
    """Per stream the greatest time stamp below `moment`: its time when the query was registered."""
    times = {name: batch.events["_time"] for name, batch in annotated.items()}
    before = {name: pc.max(pc.filter(t, pc.less(t, pa.scalar(moment, t.type)))).as_py() for name, t in times.items()}
    return {name: time for name, time in before.items() if time is not None}
