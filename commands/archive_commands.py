"""Commands on a project's archive: ask it, and look after it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import PipelineError
from ..storage import folder_size, masked
from .options import ProjectFile, ProjectUnlessServer, RowFormOption, named_project
from .remote import ServerOption, print_remote_rows, server_of
from .terminal import print_rows, tell, text_of, waiting

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from ..api import Client
    from ..archive.log import EventLog
    from ..config import Settings

_STORE_UNSOUND = 3
_SECONDS_AN_EVENT = 7e-6  # nearly all of which Oxigraph takes to count what each graph has
_SOURCES = {
    "itself": "the segment, which is sound",
    "backup": "the backup",
    "store": "the store",
    "damaged store": "the store that was set aside",
}

app = typer.Typer()


@app.command(epilog="Example: `kaicep sparql 'SELECT (COUNT(*) AS ?n) { ?e a evt:AirflowReport }' --project campus/`")
def sparql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="SPARQL: a file, a text, or - for the standard input.")],
    project: ProjectUnlessServer = None,
    *,
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="TIME", help="Ask the buckets of events from this moment on, or `now - 1h`."),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="TIME", help="Ask the buckets of events before this moment.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=0.0, help="Give up after so long.")
    ] = None,
    form: RowFormOption = None,
    server: ServerOption = None,
) -> None:
    """Ask a project's archive, also while an engine is writing it: events and knowledge in one graph.

    TIME is 2021-09-07, 2021-09-07T08:00+08:00 (without a zone: UTC), now, or now - 1h; now is the time of the archive's
    newest event. What has left the store is then brought back from the log. What a run has left to the store is added
    first, where no engine does.
    """
    text, _ = text_of(query)
    if (remote := server_of(server, project)) is not None:
        if start is not None or end is not None or timeout is not None:
            raise typer.BadParameter("asks all that the server has, in its time", param_hint="--server")
        _ask_server(remote, text, form)
        return
    from ..archive import open_read_view
    from ..archive.sparql import Graph, Solutions
    from ..config import Settings

    settings = Settings.load(named_project(project))
    _complete_store(settings, timeout)
    with open_read_view(settings) as archive:
        begin, stop = _moments(archive.log, start, end)
        lag = archive.lag
        notes = list(_rebuilding(settings, archive.log, lag.events)) if lag.rows else []
        notes += _notes(archive.log, archive.since, "" if notes else lag.rows, asked=(begin, stop))
        held = _held(archive.log)
        with waiting("asking the archive"):
            answer = archive.query(text, start=begin, end=stop, timeout=timeout)
    for note in notes:
        tell(note)
    match answer:
        case Solutions():
            found = list(answer)
            print_rows(found, answer.variables, form, settings)
            if not found:
                tell(held)
        case Graph():
            typer.echo(str(answer), nl=False)
        case _:
            typer.echo("true" if answer else "false")


def _ask_server(remote: Client, text: str, form: RowFormOption) -> None:
    match remote.sparql(text):
        case bool(found):
            typer.echo("true" if found else "false")
        case str(triples):
            typer.echo(triples, nl=False)
        case rows:
            print_remote_rows(rows.rows, rows.columns, form)


def _complete_store(settings: Settings, timeout: float | None) -> None:
    """Let the store have what a run has left to whoever asks next, unless an engine is there to add it."""
    from ..api.clients import complete_store, store_lacks

    lacking = store_lacks(settings)
    if lacking:
        with waiting(f"adding {lacking:,} events to the archive's store", lacking) as bar:
            complete_store(settings, lambda left: bar(max(0, lacking - left)), timeout)


def _rebuilding(settings: Settings, log: EventLog, lacking: int) -> Iterator[str]:
    """Why the store is being built again by an engine, and how far that is; nothing: it is not."""
    from ..api.clients import known_status

    try:
        known = known_status(settings)
    except PipelineError:  # no engine of this version
        return
    why = None if known.status.archive is None else known.status.archive.rebuilding
    if known.lives and why is not None:
        events = sum(log.count(stream) for stream in log.streams())
        yield f"{why}: it has {events - lacking:,} of {events:,} events by now, and the answer is of these"


def _held(log: EventLog) -> str:
    """What an archive holds, for somebody whose question has no solution."""
    extent, counts = log.extent(), {stream: log.count(stream) for stream in log.streams()}
    if extent is None or not any(counts.values()):
        return "no solution: the archive holds no event; kaicep run reads some"
    streams = ", ".join(f"{count:,} of {stream}" for stream, count in counts.items())
    return f"no solution: the archive holds {streams}, from {extent[0]:%FT%TZ} to {extent[1]:%FT%TZ}"


def _moments(log: EventLog, *written: str | None) -> list[datetime | None]:
    """The moments that options name."""
    from ..archive.sparql import parse_time_argument

    known = log.extent()
    now = None if known is None else known[1]
    return [None if text is None else parse_time_argument(text, now, "TIME") for text in written]


def _notes(
    log: EventLog, since: datetime | None, behind: str, asked: tuple[datetime | None, datetime | None]
) -> Iterator[str]:
    """What an answer leaves out.

    Args:
        log: of the archive.
        since: from when on the store has events.
        behind: what the store lacks, in words; empty where it lacks nothing.
        asked: start and end of the time that the query is about.
    """
    known = log.extent()
    if behind:
        yield f"the archive's store lacks the latest {behind}: an engine adds them while it runs"
    if known is None:
        return
    if asked == (None, None) and since is not None and known[0] < since:
        yield f"the archive's store has events from {since:%FT%TZ} on; --start brings earlier ones back from the log"
    if asked[0] is not None and asked[0] < known[0]:
        yield f"the archive's first event is of {known[0]:%FT%TZ}"


@app.command(epilog="Example: `kaicep compact campus/`")
def compact(project: ProjectFile) -> None:
    """Put the log's small segments together, as a running engine does by itself; let the store give back space."""
    from ..archive.sync import compact_archive
    from ..config import Settings

    settings = Settings.load(project)
    with masked(settings.engine.umask), waiting("putting segments together"):
        done = compact_archive(settings)
    typer.echo(f"{done.before:,} segments became {done.after:,}")


@app.command(epilog="Example: `kaicep backup campus/ /backups/campus-monday`")
def backup(
    project: ProjectFile,
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
) -> None:
    """Copy the archive, also while an engine is writing it. `kaicep restore` puts the copy back."""
    from ..archive import ArchivePlace, backup
    from ..config import Settings

    settings = Settings.load(project)
    size = ArchivePlace.of(settings).size
    with masked(settings.engine.umask), waiting("copying the archive", size).measuring(lambda: folder_size(target)):
        events = backup(settings, target)
    typer.echo(f"{events:,} events in {target}")


@app.command(epilog="Example: `kaicep restore /backups/campus-monday campus/`")
def restore(
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `kaicep backup` made.")],
    project: ProjectFile,
) -> None:
    """Copy a backup to where the project's archive belongs, which has to be empty."""
    from ..archive import restore
    from ..config import Settings

    settings = Settings.load(project)
    place, size = settings.path(settings.archive.path), folder_size(source)
    copying = waiting("copying the backup", size).measuring(lambda: _unfinished_size(place))
    with masked(settings.engine.umask), copying:
        events = restore(settings, source)
    typer.echo(f"{events:,} events in {place}")


def _seconds_of_reading(settings: Settings) -> float | None:
    """How long a processor takes to compare log and store, about; `None`: nobody knows."""
    from ..archive import open_read_view
    from ..errors import ArchiveError

    try:
        log = open_read_view(settings, store=False).log
        return _SECONDS_AN_EVENT * sum(log.count(stream) for stream in log.streams())
    except ArchiveError:  # what is wrong is for `verify` to tell
        return None


def _unfinished_size(place: Path) -> int:
    """How much of a copy is there, which has another name until it is complete."""
    return sum(folder_size(folder) for folder in place.parent.glob(f"{place.name}.*.unfinished"))


@app.command(epilog="Examples: `kaicep repair campus/`, `kaicep repair campus/ --from /backups/campus-monday`")
def repair(
    project: ProjectFile,
    backup: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="What `kaicep backup` made; else the store.")
    ] = None,
) -> None:
    """Bring back the events of broken segments of the log, which an engine has put into quarantine, and of lost ones.

    They come from a backup, or from the store, which has the attributes of the annotation. Stop the engine first.
    Exit codes: 0 all is back; 1 some segment stays in quarantine.
    """
    from ..archive import repair
    from ..config import Settings

    settings = Settings.load(project)
    with masked(settings.engine.umask), waiting("bringing back events"):
        done = repair(settings, backup)
    for each in done:
        match each.source:
            case None if each.origin is not None:
                there = f"they came from {each.origin}, and the next engine reads what is there still"
                tell(f"{each.lost}: nothing was found; {there}; then delete {each.path}")
            case None:
                tell(f"{each.lost}: nothing was found; to do without it, delete {each.path}")
            case "log":
                typer.echo(f"{each.lost}: the log has it all")
            case source:
                typer.echo(f"{each.lost}: {each.rows:,} rows came back from {_SOURCES[source]}")
    if not done:
        typer.echo("nothing is lost")
    if any(each.source is None for each in done):
        raise typer.Exit(1)


@app.command(epilog="Example: `kaicep verify campus/`")
def verify(project: ProjectFile) -> None:
    """Read the whole archive and compare store and log, also while an engine is writing it.

    Exit codes: 0 sound, perhaps with a store that lags; 1 the log is damaged, or there is none; 3 the log is sound but
    the store is not: the next start sets it aside, and builds it again from the log.
    """
    from ..archive import verify
    from ..archive.sync import Spool
    from ..config import Settings

    settings = Settings.load(project)
    reading = "reading the archive"
    with waiting(reading).computing(reading, _seconds_of_reading(settings)):
        found = verify(settings)
    for stream, events in found.events.items():
        typer.echo(f"{stream}: {events:,} events")
    for query, matches in found.matches.items():
        typer.echo(f"{query}: {matches:,} matches")
    typer.echo(f"log: {found.segments:,} segments")
    if found.lag is not None:
        rows = found.lag.rows or "0 events"
        typer.echo(f"store: {rows} of {found.lag.batches:,} batches behind the log")
    for stream, events in Spool(settings.path(settings.archive.path)).rows().items():
        typer.echo(f"intake: {events:,} events of {stream} that no engine has taken yet")
    for fault in (*found.log_faults, *found.store_faults):
        tell(fault)
    if found.log_lacks:
        tell("`kaicep repair` brings back what the log has lost")
    elif found.store_faults:
        tell("the next start sets the store aside, and builds it again from the log")
    if found.log_faults or found.store_faults:
        raise typer.Exit(1 if found.log_faults else _STORE_UNSOUND)
