"""A status for people: a few lines, and tables of streams, queries and stages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ...pipeline.monitoring import ArchiveStatus, EngineStatus, status_bytes
from .status_client import KnownStatus

__all__ = ["StatusReport", "print_status", "status_json", "watch_status"]

_SILENT_S = 10.0
_KILO = 1000.0


def status_json(known: KnownStatus) -> str:
    """A status as one JSON object; `state` is `killed` of an engine that ended without a word."""
    return status_bytes(known.told).decode()


def print_status(known: KnownStatus) -> None:
    """Print a status on the standard output."""
    Console(highlight=False).print(StatusReport(known))


def watch_status(ask: Callable[[], KnownStatus]) -> None:
    """Show the status of now on the terminal, each second, until interrupted."""
    with Live(get_renderable=lambda: StatusReport(ask()), refresh_per_second=1, console=Console(highlight=False)):
        threading.Event().wait()


class StatusReport:
    """Prints a status.

    Args:
        known: what it prints.
    """

    def __init__(self, known: KnownStatus) -> None:
        self._known = known

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lines, then tables."""
        status = self._known.status
        for line in _lines(self._known):
            yield Text(line)
        if status.streams:
            yield _streams(status)
        if status.queries:
            yield _queries(status)
        yield from _shed(status)
        yield from _contexts(status)
        if status.actions:
            yield _actions(status)
        if status.stages:
            yield _stages(status)
        if status.executors:
            yield _executors(status)


def _lines(known: KnownStatus) -> Iterator[str]:
    status = known.status
    since = timedelta(seconds=int((status.at - status.since).total_seconds()))
    yield f"engine: {known.state}, process {status.process}, kaicep {status.version}, for {since}"
    if status.reason is not None:
        yield f"  {status.reason}"
    if status.waits_for is not None and known.lives:
        yield f"  the streams wait: {status.waits_for}"
    if not status.reads and known.lives:
        yield "  it has recovered, and starts Spark: what comes waits"
    for stream, trouble in status.troubles.items() if known.lives else ():
        yield f"  stream {stream}: {trouble}"
    if known.state == "killed":
        yield f"  it ended without a word; it was last heard of {known.age:,.0f} s ago. kaicep run goes on from there"
    elif known.lives and known.age > _SILENT_S:
        yield f"  it has said nothing for {known.age:,.0f} s: its disk may be full, or the process stopped"
    yield f"batches: {status.batches:,}, the last one took {status.batch_seconds:.3f} s"
    if status.batch is not None and known.lives:
        yield f"  {status.batch}"
    yield f"records: {status.records:,}, {status.rate:,.1f} a second lately"
    yield f"memory: {_size(status.memory)}, state {_size(status.state_size)}"
    if status.archive is not None:
        yield from _archive_lines(status.archive)
    for name, alive in status.threads.items():
        if not alive:
            yield f"thread {name} has ended: restart the engine, and report this"


def _archive_lines(archive: ArchiveStatus) -> Iterator[str]:
    behind = f"{archive.lag_events:,} events and {archive.lag_matches:,} matches"
    yield f"archive: {_size(archive.size)}, the store lacks {behind}"
    if archive.rebuilding is not None:
        yield f"  {archive.rebuilding}"
    if archive.delta_events is not None:
        behind = f"{archive.delta_events:,} events and {archive.delta_matches or 0:,} matches"
        yield f"  the tables of Delta Lake lack {behind}"
    if archive.delta_reason is not None:
        yield f"  they cannot be written: {archive.delta_reason}"


def _streams(status: EngineStatus) -> Table:
    found = _table("stream", "events", "a second", "late", "duplicates", "dead", "newest", "lag")
    for name, stream in status.streams.items():
        lag = "" if stream.lag is None else _readable(stream.lag)
        dead = stream.rejected + stream.malformed
        counts = (f"{n:,}" for n in (stream.late, stream.duplicates, dead))
        newest = "" if stream.newest is None else f"{stream.newest:%Y-%m-%d %H:%M:%S}"
        found.add_row(name, f"{stream.events:,}", f"{stream.rate:,.1f}", *counts, newest, lag)
    return found


def _queries(status: EngineStatus) -> Table:
    found = _table("query", "state", "matches", "why")
    for label, query in status.queries.items():
        found.add_row(label, query.state, f"{query.matches:,}", query.reason or "")
    return found


def _shed(status: EngineStatus) -> Iterator[Table]:
    shed = {label: query.shed for label, query in status.queries.items() if query.shed is not None}
    if shed:
        found = _table("query", "looks at", "events", "not looked at")
        for label, events in shed.items():
            found.add_row(label, f"{100 * events.share:g}%", f"{events.read:,}", f"{events.passed:,}")
        yield found


def _contexts(status: EngineStatus) -> Iterator[Table]:
    given = {label: query.contexts for label, query in status.queries.items() if query.contexts is not None}
    if given:
        found = _table("query", "events", "in its contexts", "of these", "key unbound")
        for label, events in given.items():
            share = f"{events.given / events.read:.1%}" if events.read else ""
            found.add_row(label, f"{events.read:,}", f"{events.given:,}", share, f"{events.unplaced:,}")
        yield found
    opened = [(f"{name}.{context}", n) for name, of in status.windows.items() for context, n in of.items()]
    if opened:
        found = _table("context", "open windows")
        for name, count in opened:
            found.add_row(name, f"{count:,}")
        yield found


def _actions(status: EngineStatus) -> Table:
    found = _table("action", "sent", "waiting", "failed", "why")
    for name, action in status.actions.items():
        counts = (f"{n:,}" for n in (action.sent, action.waiting, action.failed))
        found.add_row(name, *counts, action.reason or "")
    return found


def _stages(status: EngineStatus) -> Table:
    found = _table("stage", "seconds", "of the time, lately")
    for name, stage in status.stages.items():
        found.add_row(name, f"{stage.total:,.3f}", f"{stage.share:.1%}")
    return found


def _executors(status: EngineStatus) -> Table:
    found = _table("executor", "seconds", "files", "records", "shards", "logged")
    for name, executor in status.executors.items():
        counts = (f"{n:,}" for n in (executor.splits, executor.records, executor.shards, executor.logged))
        found.add_row(name, f"{executor.seconds:,.1f}", *counts)
    return found


def _table(*columns: str) -> Table:
    found = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        words = name in ("stream", "query", "context", "action", "stage", "executor", "state", "why")
        found.add_column(name, no_wrap=name != "why", justify="left" if words else "right")
    return found


def _readable(seconds: float) -> str:
    """A time span in its greatest unit: people look whether it is seconds or days."""
    for name, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:,.1f} {name}"
    return f"{seconds:,.1f} s"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < _KILO:
            return f"{count:,.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"
        count /= _KILO
    return f"{count:,.1f} TB"
