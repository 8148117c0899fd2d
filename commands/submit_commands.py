"""Commands about a project's engine, also while it runs: its queries, its status, calls of actions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..storage import masked
from .completion import submitted_names
from .options import ProjectAtLast, ProjectByName, Query, RowFormOption, project_of
from .remote import ServerOption, print_remote_rows, server_of
from .terminal import print_rows, tell, text_of, waiting

if TYPE_CHECKING:
    from ..api import Client
    from ..config import Settings

app = typer.Typer()
actions = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="See which calls of actions wait and have failed, and let them go out again.",
)


def _duration(text: str) -> timedelta:
    from pydantic import TypeAdapter, ValidationError

    from ..settings import Duration

    try:
        return TypeAdapter[timedelta](Duration).validate_python(text)
    except ValidationError as error:
        raise typer.BadParameter(error.errors()[0]["msg"].removeprefix("Value error, ")) from error


@app.command(
    epilog="Examples: `kaicep submit high.chi campus/`, "
    "`kaicep submit 'SELECT ?e.flowrate WITHIN (now - 1h, ) FILTER (?e.flowrate > 500)' --name recent -p campus/`, "
    "`kaicep submit high.chi --server http://ops:8080`"
)
def submit(
    query: Query,
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    name: Annotated[
        str | None,
        typer.Option("--name", "-n", metavar="NAME", help="What a query without CREATE QUERY … AS is called."),
    ] = None,
    retention: Annotated[
        timedelta | None,
        typer.Option(metavar="DURATION", parser=_duration, help="Bounds the state of queries that no WINDOW bounds."),
    ] = None,
    server: ServerOption = None,
) -> None:
    """Register queries with the running engine, which answers their past beside the live stream.

    Without an engine, the next start registers them. They stay registered, over restarts, until `kaicep withdraw`.
    """
    from ..api import clients
    from ..config import Settings

    text, source = text_of(query)
    if (remote := server_of(server, folder, project)) is not None:
        _submit_to(remote, text, name, retention)
        return
    label = name or (Path(source).name if source not in ("query", "stdin") else None)
    settings = Settings.load(project_of(folder, project))
    with masked(settings.engine.umask), waiting("registering the query"):
        said = clients.submit(settings, text, label, retention)
    typer.echo("\n".join(said))


def _submit_to(remote: Client, text: str, name: str | None, retention: timedelta | None) -> None:
    from ..language import duration_text

    done = remote.submit(text, label=name, retention=None if retention is None else duration_text(retention))
    for warning in done.warnings:
        typer.echo(f"warning: {warning}")
    for label in done.labels:
        typer.echo(f"{label}: registered")


@app.command(epilog="Examples: `kaicep withdraw high campus/`, `kaicep withdraw high --server http://ops:8080`")
def withdraw(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of a query that was submitted.", autocompletion=submitted_names)
    ],
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    server: ServerOption = None,
) -> None:
    """Answer a query no more that was submitted, from the next batch on."""
    if (remote := server_of(server, folder, project)) is not None:
        remote.withdraw(name)
        typer.echo(f"{name}: withdrawn")
        return
    from ..api import clients

    _change(project_of(folder, project), lambda settings: clients.withdraw(settings, name))


@app.command(epilog="Examples: `kaicep park pairs campus/`, `kaicep park pairs --server http://ops:8080`")
def park(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of a registered query; `kaicep queries` lists them.")],
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    server: ServerOption = None,
) -> None:
    """Answer a query no more, from the next batch on, until `kaicep resume`: it has all its rows then.

    Without an engine, it is parked with the next start. What reads it is parked with it.
    """
    if (remote := server_of(server, folder, project)) is not None:
        typer.echo("\n".join(remote.park(name)))
        return
    from ..api import clients

    _change(project_of(folder, project), lambda settings: clients.park(settings, name, _user()))


def _change(project: Path, change: Callable[[Settings], list[str]]) -> None:
    """Change the queries of a project, and say what happened."""
    from ..config import Settings

    settings = Settings.load(project)
    with masked(settings.engine.umask):
        said = change(settings)
    typer.echo("\n".join(said))


def _user() -> str | None:
    """Who works here; `None`: nobody that this machine knows, as in some containers."""
    from getpass import getuser

    try:
        return getuser()
    except (KeyError, OSError):
        return None


@app.command(epilog="Example: `kaicep resume pairs campus/`")
def resume(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of a parked query; `kaicep queries` lists them.")],
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    server: ServerOption = None,
) -> None:
    """Answer a query again that was parked, with all that it has missed.

    Without an engine, it goes on with the next start. What it reads, and what reads it, goes on with it.
    """
    if (remote := server_of(server, folder, project)) is not None:
        typer.echo("\n".join(remote.resume(name)))
        return
    from ..api import clients

    _change(project_of(folder, project), lambda settings: clients.resume(settings, name))


@app.command(
    epilog="Examples: `kaicep ask 'SELECT COUNT(?p) AS n FROM (?p, PARTIAL(orders))' shop/`, "
    "`kaicep ask waiting.chi -p shop/ --format csv`"
)
def ask(
    query: Query,
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    form: RowFormOption = None,
    server: ServerOption = None,
) -> None:
    """Ask once what registered queries hold: STATE, PARTIAL and CONTEXTS, all as they are between two batches.

    Without an engine, as they were when the last one stopped. Nothing is registered, and no batch waits.
    """
    text, source = text_of(query)
    if (remote := server_of(server, folder, project)) is not None:
        found = remote.ask(text)
        print_remote_rows(found.rows, found.columns, form)
        return
    from ..api import clients
    from ..config import Settings

    settings = Settings.load(project_of(folder, project))
    with masked(settings.engine.umask), waiting("asking"):
        rows = clients.ask_states(settings, text, source, tell)
    print_rows(rows, rows.columns, form, settings)


@app.command(epilog="Examples: `kaicep queries campus/`, `kaicep queries -p campus/ --format json`")
def queries(
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    form: RowFormOption = None,
    server: ServerOption = None,
) -> None:
    """List the registered queries: state, matches so far, their time at registration, why one is parked or behind."""
    if (remote := server_of(server, folder, project)) is not None:
        _print_queries_of(remote, form)
        return
    from ..api import clients
    from ..config import Settings

    settings = Settings.load(project_of(folder, project))
    rows, said = clients.list_queries(settings)
    print_rows(rows, clients.QUERY_COLUMNS, form, settings)
    for line in said:
        tell(line)


def _print_queries_of(remote: Client, form: RowFormOption) -> None:
    rows = [
        {
            "query": one.label,
            "state": one.state,
            "matches": one.matches,
            "from": "submitted" if one.submitted else "run",
            "parked": one.reason,
        }
        for one in remote.queries()
    ]
    print_remote_rows(rows, ("query", "state", "matches", "from", "parked"), form)


@app.command(epilog="Examples: `kaicep status campus/`, `kaicep status campus/ --watch`, `kaicep status . --json`")
def status(
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    json: Annotated[bool, typer.Option("--json", help="Everything that is known, as one JSON object.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show it anew each second, until Ctrl-C.")] = False,
    server: ServerOption = None,
) -> None:
    """Say how the project's engine fares: streams, queries, stages, archive; of one that has ended, its last words."""
    from ..api import clients
    from ..config import Settings

    remote = server_of(server, folder, project)
    if remote is None:
        known = partial(clients.known_status, Settings.load(project_of(folder, project)))
    else:
        known = partial(clients.remote_status, remote)
    if json:
        typer.echo(clients.status_json(known()))
    elif watch:
        clients.watch_status(known)
    else:
        clients.print_status(known())


@actions.command("waiting", epilog="Example: `kaicep actions waiting campus/`")
def waiting_calls(folder: ProjectAtLast = None, *, project: ProjectByName = None, form: RowFormOption = None) -> None:
    """List by action and rule how many calls wait, and why the next one was not taken."""
    from ..api import clients
    from ..config import Settings

    settings = Settings.load(project_of(folder, project))
    print_rows(clients.waiting_calls(settings), clients.WAITING_COLUMNS, form, settings)


@actions.command(epilog="Example: `kaicep actions failed campus/ --format json`")
def failed(folder: ProjectAtLast = None, *, project: ProjectByName = None, form: RowFormOption = None) -> None:
    """List the calls that nobody took however often they were tried, with the reasons."""
    from ..api import clients
    from ..config import Settings

    settings = Settings.load(project_of(folder, project))
    print_rows(clients.failed_calls(settings), clients.FAILED_COLUMNS, form, settings)


@actions.command(epilog="Examples: `kaicep actions retry campus/`, `kaicep actions retry campus/ --action callOps`")
def retry(
    folder: ProjectAtLast = None,
    *,
    project: ProjectByName = None,
    action: Annotated[str | None, typer.Option(metavar="NAME", help="Only those of this action.")] = None,
    rule: Annotated[str | None, typer.Option(metavar="NAME", help="Only those that this rule has made.")] = None,
) -> None:
    """Let calls that have failed go out again: by the running engine, else by the next one."""
    from ..api import clients
    from ..config import Settings

    settings = Settings.load(project_of(folder, project))
    with masked(settings.engine.umask):
        said = clients.retry_calls(settings, action, rule)
    typer.echo("\n".join(said))
