"""A status as metrics in the Prometheus text format, for the textfile collector of a node exporter.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest, write_to_textfile
from prometheus_client.core import CounterMetricFamily as Counter
from prometheus_client.core import GaugeMetricFamily as Gauge
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from .engine_status import EngineStatus

__all__ = ["metrics_bytes", "write_metrics"]

_OUTCOMES = ("events", "late", "duplicates", "rejected", "malformed")
_PLACES = ("read", "given", "unplaced")


def write_metrics(path: Path, status: EngineStatus) -> None:
    """Write the metrics of a status, as a whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_to_textfile(str(path), _registry(status))


def metrics_bytes(status: EngineStatus) -> bytes:
    """The metrics of a status in the text format, for whoever asks over HTTP."""
    return generate_latest(_registry(status))


def _registry(status: EngineStatus) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_StatusCollector(status))
    return registry


class _StatusCollector(Collector):
    def __init__(self, status: EngineStatus) -> None:
        self._status = status

    def collect(self) -> Iterable[Metric]:
        yield from _of_engine(self._status)
        yield from _of_streams(self._status)
        yield from _of_queries(self._status)
        yield from _of_contexts(self._status)
        yield from _of_actions(self._status)


def _of_engine(status: EngineStatus) -> Iterator[Metric]:
    yield Gauge("kaicep_up", "Whether the engine runs.", float(status.state == "running"))
    yield Gauge("kaicep_status_timestamp_seconds", "When this was written.", status.at.timestamp())
    yield Counter("kaicep_batches", "Batches done, over restarts.", status.batches)
    yield Gauge("kaicep_last_batch_seconds", "What the last batch took.", status.batch_seconds)
    at_work = 0.0 if status.batch is None else status.batch.seconds
    yield Gauge("kaicep_batch_at_work_seconds", "Since when a batch is at work; 0: none is.", at_work)
    yield Gauge("kaicep_resident_memory_bytes", "Of the Python process.", status.memory)
    yield Gauge("kaicep_state_bytes", "Of the engine's state folder.", status.state_size)
    stages = Counter("kaicep_stage_seconds", "Wall clock of each stage, since the start.", labels=["stage"])
    for name, stage in status.stages.items():
        stages.add_metric([name], stage.total)
    threads = Gauge("kaicep_thread_up", "Whether a thread of the engine is alive.", labels=["thread"])
    for name, alive in status.threads.items():
        threads.add_metric([name], float(alive))
    yield stages
    yield threads
    yield Gauge("kaicep_streams_wait", "Whether the streams wait for what passes.", float(status.waits_for is not None))
    if status.archive is not None:
        yield Gauge("kaicep_archive_bytes", "Of the archive's folder.", status.archive.size)
        lag = Gauge("kaicep_store_lag_rows", "What the archive's log has and its store lacks.", labels=["kind"])
        lag.add_metric(["events"], status.archive.lag_events)
        lag.add_metric(["matches"], status.archive.lag_matches)
        yield lag
        if status.archive.delta_events is not None:
            behind = Gauge("kaicep_delta_lag_rows", "What the log has and tables of Delta Lake lack.", labels=["kind"])
            behind.add_metric(["events"], status.archive.delta_events)
            behind.add_metric(["matches"], status.archive.delta_matches or 0)
            yield behind


def _of_streams(status: EngineStatus) -> Iterator[Metric]:
    records = Counter("kaicep_records", "Records by what became of them, over restarts.", labels=["stream", "outcome"])
    unlinked = Counter("kaicep_unlinked_values", "Values that name no individual.", labels=["stream"])
    newest = Gauge("kaicep_newest_event_timestamp_seconds", "The greatest time stamp.", labels=["stream"])
    watermark = Gauge("kaicep_watermark_timestamp_seconds", "Below it nothing is admitted.", labels=["stream"])
    lag = Gauge("kaicep_stream_lag_seconds", "From the newest time stamp to the wall clock.", labels=["stream"])
    for name, stream in status.streams.items():
        for outcome in _OUTCOMES:
            records.add_metric([name, outcome], getattr(stream, outcome))
        unlinked.add_metric([name], stream.unlinked)
        if stream.newest is not None:
            newest.add_metric([name], stream.newest.timestamp())
        if stream.watermark is not None:
            watermark.add_metric([name], stream.watermark.timestamp())
        if stream.lag is not None:
            lag.add_metric([name], stream.lag)
    yield from (records, unlinked, newest, watermark, lag)


def _of_queries(status: EngineStatus) -> Iterator[Metric]:
    matches = Counter("kaicep_matches", "Rows of each query, over restarts.", labels=["query"])
    state = Gauge("kaicep_query_state", "1 for the state that each query is in.", labels=["query", "state"])
    for label, query in status.queries.items():
        matches.add_metric([label], query.matches)
        state.add_metric([label, query.state], 1.0)
    shed = Counter("kaicep_shed_events", "Events that a query was given and has not looked at.", labels=["query"])
    for label, query in status.queries.items():
        if query.shed is not None:
            shed.add_metric([label], query.shed.passed)
    yield from (matches, state, shed)


def _of_contexts(status: EngineStatus) -> Iterator[Metric]:
    events = Counter("kaicep_context_events", "Events of queries in contexts.", labels=["query", "outcome"])
    for label, query in status.queries.items():
        if query.contexts is not None:
            for outcome in _PLACES:
                events.add_metric([label, outcome], getattr(query.contexts, outcome))
    windows = Gauge("kaicep_open_windows", "Windows of contexts that are open.", labels=["contexts", "context"])
    for name, contexts in status.windows.items():
        for context, count in contexts.items():
            windows.add_metric([name, context], count)
    yield from (events, windows)


def _of_actions(status: EngineStatus) -> Iterator[Metric]:
    calls = Gauge("kaicep_calls", "Calls of actions that wait, and dead letters.", labels=["action", "state"])
    sent = Counter("kaicep_calls_sent", "Calls handed on, since the start.", labels=["action"])
    for name, action in status.actions.items():
        calls.add_metric([name, "waiting"], action.waiting)
        calls.add_metric([name, "failed"], action.failed)
        sent.add_metric([name], action.sent)
    yield from (calls, sent)
