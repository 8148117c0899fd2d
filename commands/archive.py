"""Commands on a project's archive: ask it, and look after it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import ProjectFile, ProjectOption, RowForm
from .terminal import print_rows, tell, text_of

_STORE_UNSOUND = 3

app = typer.Typer()


@app.command(epilog="Example: `kaicep sparql 'SELECT (COUNT(*) AS ?n) { ?e a evt:AirflowReport }' --project campus/`")
def sparql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="SPARQL: a file, a text, or - for the standard input.")],
    project: ProjectOption,
    *,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=0.0, help="Give up after so long.")
    ] = None,
    form: RowForm = None,
) -> None:
    """Ask a project's archive, also while an engine is writing it: events and knowledge in one graph."""
    from ..archive import Graph, Solutions, open_reader
    from ..config import Settings

    text, _ = text_of(query)
    settings = Settings.load(project)
    with open_reader(settings) as archive:
        behind = archive.lag.rows
        answer = archive.query(text, timeout=timeout)
    if behind:
        tell(f"the archive's store lacks the latest {behind}: an engine adds them while it runs")
    match answer:
        case Solutions():
            print_rows(list(answer), answer.variables, form, settings)
        case Graph():
            typer.echo(str(answer), nl=False)
        case _:
            typer.echo("true" if answer else "false")


@app.command(epilog="Example: `kaicep compact campus/`")
def compact(project: ProjectFile) -> None:
    """Put the log's small segments together, as a running engine does by itself; let the store give back space."""
    from ..archive import compact_archive
    from ..config import Settings

    done = compact_archive(Settings.load(project))
    typer.echo(f"{done.before:,} segments became {done.after:,}")


@app.command(epilog="Example: `kaicep backup campus/ /backups/campus-monday`")
def backup(
    project: ProjectFile,
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
) -> None:
    """Copy the archive, also while an engine is writing it. `kaicep restore` puts the copy back."""
    from ..archive import backup
    from ..config import Settings

    typer.echo(f"{backup(Settings.load(project), target):,} events in {target}")


@app.command(epilog="Example: `kaicep restore /backups/campus-monday campus/`")
def restore(
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `kaicep backup` made.")],
    project: ProjectFile,
) -> None:
    """Copy a backup to where the project's archive belongs, which has to be empty."""
    from ..archive import restore
    from ..config import Settings

    loaded = Settings.load(project)
    typer.echo(f"{restore(loaded, source):,} events in {loaded.path(loaded.archive.path)}")


@app.command(epilog="Example: `kaicep verify campus/`")
def verify(project: ProjectFile) -> None:
    """Read the whole archive and compare store and log, also while an engine is writing it.

    Exit codes: 0 sound, perhaps with a store that lags; 1 the log is damaged, or there is none; 3 the log is sound but
    the store is not: move it away, and the next start builds it again from the log.
    """
    from ..archive import Intake, verify
    from ..config import Settings

    settings = Settings.load(project)
    found = verify(settings)
    for stream, events in found.events.items():
        typer.echo(f"{stream}: {events:,} events")
    for query, matches in found.matches.items():
        typer.echo(f"{query}: {matches:,} matches")
    typer.echo(f"log: {found.segments:,} segments")
    if found.lag is not None:
        rows = found.lag.rows or "0 events"
        typer.echo(f"store: {rows} of {found.lag.batches:,} batches behind the log")
    for stream, events in Intake(settings.path(settings.archive.path)).rows().items():
        typer.echo(f"intake: {events:,} events of {stream} that no engine has taken yet")
    for fault in (*found.log_faults, *found.store_faults):
        tell(fault)
    if found.store_faults:
        tell("move the store's folder away; the next start builds it again from the log")
    if found.log_faults or found.store_faults:
        raise typer.Exit(1 if found.log_faults else _STORE_UNSOUND)
