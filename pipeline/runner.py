"""Runs queries over the streams of a project for the command line, and tells how it goes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from .engine import Engine
from .meter import Meter
from .progress import Progress
from .project import Project
from .sinks import Sink

__all__ = ["archive_behind", "run_queries", "summary"]


def run_queries(
    project: Project, documents: Sequence[tuple[str, str]], sink: Sink, log: Console, *, once: bool, quiet: bool
) -> None:
    """Answer queries until interrupted, or until everything that is there has been read.

    Args:
        project: whose streams.
        documents: name and text of χ-CEP documents; a later one may use the queries of an earlier one.
        sink: where matches go.
        log: where progress and the summary go.
        once: read what there is, then stop.
        quiet: no progress, no summary.

    Raises:
        KaicepError: a document is wrong, or a batch failed.
        KeyboardInterrupt: after the batch at work is finished.
    """
    meter = Meter(log, quiet=quiet)
    engine = Engine(project, sinks=[sink], on_batch=meter)
    if not quiet:
        log.print("starting Spark")
    try:
        with engine:
            for name, text in documents:
                engine.submit(text, label=name, collect=False)
            with meter.watching(lambda: archive_behind(engine)):
                _run(engine, once=once)
    finally:
        if not quiet and meter.progress.batches:
            log.print("\n".join(summary(meter)), soft_wrap=True)


def archive_behind(engine: Engine) -> int:
    """Return how many events the archive's store lacks."""
    return engine.archive.lag.events if engine.project.settings.archive.enabled else 0


def summary(meter: Meter) -> list[str]:
    """Return what a run did: events, matches by query, and what could not be used."""
    progress = meter.progress
    lines = [f"{meter.line()} in {meter.seconds:,.1f} s"]
    lines += [f"  {label}: {count:,} matches" for label, count in progress.matches.items()]
    return [*lines, *_unused(progress)]


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


def _run(engine: Engine, *, once: bool) -> None:
    if once:
        engine.run_available()
    else:
        engine.start()
        engine.wait()
