"""Commands that start Spark: the demonstration, a project's engine, the archiver beside it, the server before it."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..errors import PipelineError
from .options import ProjectFile, Quiet
from .terminal import CLOSING, closing_on, load_project, log, tell, waiting

_PAGE = 120

app = typer.Typer()


class MatchFormat(StrEnum):
    """How `run` writes matches."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    CONSOLE = "console"
    KAFKA = "kafka"


@app.command(epilog="Examples: `kaicep demo`, `kaicep demo --live --folder building`")
def demo(
    folder: Annotated[
        Path | None, typer.Option(help="Work there and keep everything; by default in a temporary folder.")
    ] = None,
    *,
    live: Annotated[
        bool, typer.Option("--live", help="Show them live on the page of a server, until Ctrl-C; then go on there.")
    ] = False,
    speed: Annotated[
        str, typer.Option(metavar="FACTOR", help="With --live: 60x, an hour in a minute; max, as fast as it goes.")
    ] = "60x",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="With --live: listen there.")] = 8080,
    quiet: Quiet = False,
) -> None:
    """Stream the real readings of a building through Spark, with queries; takes about a minute, with --live hours."""
    from .jobs import run_demo
    from .replaying import run_live_demo

    if live:
        _require_server()
        run_live_demo(folder, speed, port)
        return
    out = Console(file=sys.stdout, highlight=False)
    run_demo(folder, out if out.is_terminal else Console(width=_PAGE, highlight=False), log(), quiet=quiet)


@app.command(epilog="Examples: `kaicep run campus/`, `kaicep run kaicep.toml --finish -Q high.chi --out matches.jsonl`")
def run(
    project: ProjectFile,
    *,
    once: Annotated[bool, typer.Option("--once", help="Stop when everything that is there has been read.")] = False,
    finish: Annotated[
        bool | None,
        typer.Option(
            "--finish/--no-finish",
            help="As --once, and end the streams: report what waits for later events. The next run reads on. "
            "By default when all sources are files of --events.",
        ),
    ] = None,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--events",
            "-e",
            metavar="FILE",
            help="Recorded events to read once in the place of the stream's source; NAME=FILE for one of several.",
        ),
    ] = None,
    query: Annotated[
        list[Path] | None,
        typer.Option("--query", "-Q", metavar="FILE", help="Queries to run instead of the project's; may be repeated."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where matches go: a file, for parquet a folder, for kafka SERVERS/TOPIC.",
        ),
    ] = None,
    append: Annotated[
        bool, typer.Option("--append", help="Write behind the rows of FILE though nothing is known of them.")
    ] = False,
    form: Annotated[
        MatchFormat | None, typer.Option("--format", "-f", help="By default console on terminals, else jsonl.")
    ] = None,
    quiet: Quiet = False,
    notices: Annotated[bool, typer.Option("--notices", hidden=True, help="With --quiet: what a server logs.")] = False,
) -> None:
    """Read the project's streams, report the matches of its queries, archive all events.

    Ctrl-C stops after the batch at work; the next run goes on from there. With --once, rows that later events decide
    wait for the next run, and are counted: events of the newest time stamp are among them.
    """
    from ..api import Project
    from ..config import Settings
    from ..pipeline import query_files, read_document
    from ..pipeline.sinks import SINKS
    from ..storage import masked
    from .jobs import all_recorded, run_queries, settle_existing_output, with_recorded_sources

    given = out is not None or form is not None
    form = form or (MatchFormat.CONSOLE if out is None and sys.stdout.isatty() else MatchFormat.JSONL)
    _check_output(out, form)
    settings = Settings.load(project)
    settle_existing_output(None if form is MatchFormat.KAFKA else out, settings, append=append)
    ends = finish if finish is not None else bool(events) and all_recorded(settings, events or ())
    settings = with_recorded_sources(settings, events or ())
    with waiting(CLOSING, quiet=quiet) as bar:
        loaded = Project.of(settings, closing_on(bar))
    documents = [(path.name, read_document(path)) for path in query or query_files(loaded.settings)]
    if not documents and not loaded.settings.archive.enabled:
        raise PipelineError(
            "there is nothing to do: no query, and the archive is switched off",
            hint="name queries with --query, or in the project file under [queries]",
        )
    sinks = []
    if given or not any(sink.console for sink in settings.sinks.values()):  # it prints them
        with masked(loaded.settings.engine.umask):
            sinks.append(SINKS[form](out, loaded.settings.prefixes))
    once = once or ends or bool(events)
    run_queries(loaded, documents, sinks, log(), once=once, finish=ends, quiet=quiet, notices=notices)


@app.command(epilog="Examples: `kaicep archive campus/ --follow`, `kaicep archive campus/`")
def archive(
    project: ProjectFile,
    *,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until Ctrl-C; else end with what is there.")] = False,
    standby: Annotated[
        bool,
        typer.Option("--standby", help="With --follow: read only while no engine runs; for sources that are shared."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Keep the events of a project's streams, also while no engine runs; the next one takes what it has missed.

    An engine takes what is kept within a batch, and recognises what it has: both may run at the same time.
    """
    from ..pipeline.hosting import archive

    if standby and not follow:
        raise typer.BadParameter("stands by only with --follow", param_hint="--standby")
    archive(load_project(project, quiet=quiet), log(), follow=follow, standby=standby, quiet=quiet)


@app.command(epilog="Examples: `kaicep serve campus/`, `kaicep serve campus/ --port 9000 --no-engine`")
def serve(
    project: ProjectFile,
    *,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="Listen there; by default as [server] says, else at 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="PORT", min=0, max=65535, help="Likewise, else 8080; 0: one that is free.")
    ] = None,
    engine: Annotated[
        bool, typer.Option("--engine/--no-engine", help="Run the project's engine as well, unless one runs already.")
    ] = True,
) -> None:
    """Answer over HTTP: SPARQL, ontology modules, status and metrics of a project whose engine it runs.

    Rows go to the standard output, as those of `kaicep run`. Ctrl-C ends the server, and the engine that it began. Any
    host but this machine demands tokens under [server].
    """
    from ..config import Settings
    from ..storage import masked

    _require_server()
    from .. import server

    settings = Settings.load(project)
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = settings.model_copy(update={"server": settings.server.model_copy(update=given)})
    command = [sys.executable, "-m", "kaicep", "run", str(project), "--quiet", "--notices"] if engine else None
    with masked(settings.engine.umask):
        received = server.serve(settings, command, tell)
    if received is not None:
        raise typer.Exit(128 + received)


def _require_server() -> None:
    from importlib.util import find_spec

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise PipelineError("the server is not installed", hint='pip install "kaicep[serve]"')


def _check_output(out: str | None, form: MatchFormat) -> None:
    if form is MatchFormat.PARQUET and out is None:
        raise typer.BadParameter("parquet needs --out FOLDER", param_hint="--format")
    if form is MatchFormat.KAFKA and out is None:
        raise typer.BadParameter("kafka needs --out SERVERS/TOPIC", param_hint="--format")
    if form is MatchFormat.CONSOLE and out is not None:
        raise typer.BadParameter("console writes no file; leave --out away", param_hint="--format")
