"""Runs queries over the streams of a project for the command line, and tells how it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from types import MappingProxyType

from rich.console import Console

from ...api import Engine
from ...errors import KaicepError
from ...explain import mapping_lines, report_mapping
from ...language.nodes import Query
from ...pipeline import Catalog
from ...pipeline.durability import Progress
from ...pipeline.hosting import Signals
from ...pipeline.monitoring import LogOutput
from ...pipeline.sinks import Sink
from ..progress_line import ProgressLine
from ..project_warnings import source_warnings, warnings_of

__all__ = ["archive_behind", "fill_store", "read", "run_queries", "summary"]

_SECONDS_BETWEEN_LOOKS = 0.1
_PATIENCE = 60.0  # seconds without an event that the store takes; what it lacks it gets at the next start


def run_queries(
    project: Catalog,
    documents: Sequence[tuple[str, str]],
    sinks: Sequence[Sink],
    log: Console,
    *,
    once: bool,
    finish: bool,
    quiet: bool,
    notices: bool,
) -> None:
    """Answer queries until interrupted, or until everything that is there has been read.

    Args:
        project: whose streams.
        documents: name and text of χ-CEP documents; a later one may use the queries of an earlier one.
        sinks: where matches go, besides those of the project file.
        log: where progress and the summary go.
        once: read what there is, then stop.
        finish: end the streams then, so that what waits for later events is reported.
        quiet: no progress, no summary.
        notices: all the same, lines about what becomes of streams, queries and knowledge.

    Raises:
        KaicepError: a document is wrong, a batch failed, or with `once` a query is parked: its reason.
        KeyboardInterrupt: after a Ctrl-C, when the batch at work is finished.
        SystemExit: likewise after a request to terminate, with 143.
    """
    queries = _compile(project, documents)
    output = LogOutput(project.settings.monitoring, project.settings.root)
    quiet = quiet or output.takes_standard_error
    meter = ProgressLine(log, quiet=quiet, notices=notices and not output.takes_standard_error)
    engine = Engine(
        project,
        sinks=sinks,
        on_batch=meter,
        on_knowledge=output.telling(meter.tell),
        on_notice=output.telling(meter.tell),
        on_failure=output.note_failure,  # it is raised, and told once
    )
    if not quiet:
        for warning in warnings_of(project, queries):
            log.print(warning, markup=False, soft_wrap=True)
        for warning in source_warnings(project.settings):
            log.print(warning, markup=False, soft_wrap=True)
    summed_up = False
    failures: dict[str, KaicepError] = {}
    try:
        with output, Signals() as signals, engine:
            for name, text in documents:
                engine.submit(text, label=name, collect=False)
            pasts, at_work = lambda: engine.backfill_progress, lambda: engine.batch_at_work
            with meter.watching(lambda: archive_behind(engine), pasts, at_work):
                read(engine, signals, once=once)
                if once:
                    waiting = _ended(engine, meter, finish=finish, quiet=quiet)
                    _sum_up(log, meter, waiting, [] if quiet else _mapping(engine, ended=finish), quiet=quiet)
                    summed_up = True  # before the store has taken the events: the rows are there
                    fill_store(engine, signals, meter)
                    failures = {handle.name: handle.failure for handle in engine.handles if handle.failure is not None}
        _raise_parked(failures)
    finally:
        if not summed_up and meter.progress.batches:
            _sum_up(log, meter, {}, [] if quiet else _mapping(engine, ended=False), quiet=quiet)


def _raise_parked(failures: Mapping[str, KaicepError]) -> None:
    """Tell at the end of a run which queries have not been answered to its end: the rows of the others are there."""
    if failures:
        label, first = next(iter(failures.items()))
        for other, failure in list(failures.items())[1:]:
            first.add_note(f"parked, too: {other}: {failure.message}")
        first.add_note(f"the rows of the other queries are there; when it may go on: kaicep resume {label}")
        raise first


def _ended(engine: Engine, meter: ProgressLine, *, finish: bool, quiet: bool) -> Mapping[str, int]:
    """Let the streams end, if they are to; else by query, how many rows wait for later events."""
    if finish:
        engine.finish()
        return {}
    return engine.rows_at_end() if meter.progress.batches and not quiet else {}


def _sum_up(
    log: Console, meter: ProgressLine, waiting: Mapping[str, int], mapping: Sequence[str], *, quiet: bool
) -> None:
    if not quiet:
        nothing = [] if meter.progress.records else ["nothing was read: the sources brought nothing new"]
        done = summary(meter, waiting) if meter.progress.batches else []
        lines = [*nothing, *done, *(mapping if meter.progress.records else ())]
        log.print("\n".join(lines), soft_wrap=True, markup=False)


def _mapping(engine: Engine, *, ended: bool) -> list[str]:
    """How what was read goes with annotations, model and queries."""
    if engine.hosting == "executors":
        return []  # what their records are, they do not tell
    project = engine.project
    return mapping_lines(report_mapping(project, engine.profile, ended=ended), project.settings.prefixes)


def _compile(project: Catalog, documents: Sequence[tuple[str, str]]) -> list[Query]:
    """Refuse a wrong document at once, and not after the seconds that Spark takes to start."""
    outputs: list[Query] = []
    for name, text in documents:
        outputs += [registration.query for registration in project.registrations(text, name, outputs)]
    return outputs


def fill_store(engine: Engine, signals: Signals, meter: ProgressLine) -> None:
    """Wait until the store lacks no more than it may, as long as it takes events and no signal comes; tell the rest."""
    may_lack, behind, unchanged = _left_to_readers(engine), archive_behind(engine), 0.0
    if behind > may_lack:
        meter.tell(f"the archive's store takes {behind:,} events; Ctrl-C leaves them to the next start")
    while behind > may_lack and signals.received is None and unchanged < _PATIENCE:
        engine.archive.flush(timeout=_SECONDS_BETWEEN_LOOKS)
        before, behind = behind, archive_behind(engine)
        unchanged = 0.0 if behind < before else unchanged + _SECONDS_BETWEEN_LOOKS
    if behind:
        adding = "`kaicep sparql` or the next run" if may_lack else "the next run"
        meter.tell(f"the archive's store lacks {behind:,} events of its log; {adding} adds them")
    signals.raise_received()


def _left_to_readers(engine: Engine) -> int:
    """How many events the store may lack when a run ends, for whoever asks next to add them.

    Those that this run has read, so that runs do not leave more and more; none where others ask an endpoint themselves.
    """
    archive = engine.project.settings.archive
    return engine.archive.counts.events if archive.enabled and archive.endpoint is None else 0


def archive_behind(engine: Engine) -> int:
    """Return how many events, and matches of named queries, the archive's store lacks."""
    if not engine.project.settings.archive.enabled:
        return 0
    lag = engine.archive.lag
    return lag.events + lag.matches


def summary(meter: ProgressLine, waiting: Mapping[str, int] = MappingProxyType({})) -> list[str]:
    """Return what a run did: events, matches by query, and what could not be used.

    Args:
        meter: has watched it.
        waiting: by query, how many rows wait for later events.
    """
    progress = meter.progress
    lines = [f"in {meter.seconds:,.1f} s: {meter.line()}"]
    for label, count in progress.matches.items():
        rest = f"; {waiting[label]:,} more wait for later events" if waiting.get(label) else ""
        lines.append(f"  {label}: {_done(progress, label, count)}{rest}")
        lines += [f"    PATH {i}: {cost}" for i, cost in enumerate(progress.subqueries.get(label, ()), 1)]
    if waiting:
        lines.append("  --finish ends the streams, and reports what waits for later events")
    return [*lines, *_unused(progress)]


def _done(progress: Progress, label: str, matches: int) -> str:
    """What a query found; of a rule what it did."""
    if label not in progress.rules:
        return f"{matches:,} matches"
    return ", ".join(f"{count:,} {what}" for what, count in progress.rules[label].items())


def _unused(progress: Progress) -> list[str]:
    counts = {
        "late": "archived, but no part of their streams",
        "duplicates": "ignored",
        "rejected": "in the dead letters",
        "malformed": "in the dead letters",
        "unlinked": "values that name no individual",
    }
    found = []
    for name, stream in progress.streams.items():
        parts = [f"{getattr(stream, kind):,} {kind} ({what})" for kind, what in counts.items() if getattr(stream, kind)]
        found += [f"  of stream {name}: {', '.join(parts)}"] if parts else []
    return found


def read(engine: Engine, signals: Signals, *, once: bool) -> None:
    """Let an engine read its streams until a signal comes or, if `once`, all that is there has been read.

    Raises:
        KaicepError: a batch failed.
        KeyboardInterrupt, SystemExit: a signal came, and the batch at work is finished.
    """
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_read, engine, once=once)
        while not reading.done() and signals.received is None:
            wait([reading], timeout=_SECONDS_BETWEEN_LOOKS)
        if signals.received is not None:
            engine.stop()
    signals.raise_received()
    reading.result()


def _read(engine: Engine, *, once: bool) -> None:
    if once:
        engine.run_available()
    else:
        engine.start()
        engine.wait()
