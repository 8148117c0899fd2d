"""Commands asked of a server elsewhere: which one, by which token, and what it answers."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import RowFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ...api import Client
    from ...api.remote import Hearing, RemoteJob
    from ..progress_bar import ProgressBar

__all__ = ["ServerOption", "hearing", "print_remote_rows", "server_of"]

SERVER, TOKEN = "KAICEP_SERVER", "KAICEP_TOKEN"

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help=f"A server (`kaicep serve`) that is asked instead of a project; else {SERVER}. {TOKEN} has its token.",
        show_default=False,
    ),
]


def server_of(server: str | None, *projects: Path | None) -> Client | None:
    """The server that a command is for; `None`: it is for a project.

    Args:
        server: that is named by the option.
        projects: that are named; where none is, and no server, the environment may name one.

    Raises:
        typer.BadParameter: both are named.
    """
    named = next((project for project in projects if project is not None), None)
    if server is not None and named is not None:
        raise typer.BadParameter(
            f"is named beside the project {named}: a server has one of its own", param_hint="--server"
        )
    url = server or (os.environ.get(SERVER) if named is None else None)
    if not url:
        return None
    from ...api import Client

    return Client(url, token=os.environ.get(TOKEN) or None)


def hearing(bar: ProgressBar, what: str) -> Hearing:
    """What shows on a bar how far a job of a server is: its stage, of which nobody may know how long it takes."""

    def hear(job: RemoteJob) -> None:
        far = "" if job.progress is None else f", {job.progress:.0%}"
        bar(job.progress or 0.0, what=f"{what}: {job.stage or job.state}{far}")

    return hear


def print_remote_rows(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], form: RowFormat | None) -> None:
    """Print rows of a server; IRIs as they are, since its prefixes are not known."""
    from ...pipeline import sinks

    chosen = form or (RowFormat.TABLE if sys.stdout.isatty() else RowFormat.JSON)
    names = list(columns)
    with sinks.RowPrinter(names, chosen.value, sys.stdout, {}) as printer:
        printer.write([{name: row.get(name) for name in names} for row in rows])
