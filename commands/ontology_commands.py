"""`kaicep ontology`: change the ontology modules, also while an engine runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..storage import masked
from .options import (
    ProjectAtLast,
    ProjectByName,
    ProjectUnlessServer,
    RowFormOption,
    named_project,
    project_of,
)
from .remote import ServerOption, hearing, print_remote_rows, server_of
from .terminal import print_rows, tell, waiting

if TYPE_CHECKING:
    from ..api import Client

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="markdown", help="Change the ontology modules, also while an engine runs."
)


@app.command(
    "add",
    epilog="Examples: `kaicep ontology add rooms.ttl --project campus/`, "
    "`kaicep ontology add rooms.ttl --server http://ops:8080`",
)
def add_module(
    module: Annotated[
        Path, typer.Argument(metavar="FILE", help="An ontology module, in any RDF syntax, or a name: brick:1.5.")
    ],
    project: ProjectUnlessServer = None,
    *,
    replace: Annotated[
        str | None,
        typer.Option(metavar="MODULE", help="The module whose place it takes: its file, file name or ontology IRI."),
    ] = None,
    server: ServerOption = None,
) -> None:
    """Add a module, or replace the one of the same file or ontology IRI.

    A running engine takes it over at a batch border; without one, the next start does. A module that is broken, that
    contradicts the others, or that would change the columns of a running query, is refused. Ctrl-C takes it back, at a
    server too, as long as it is not written.
    """
    if (remote := server_of(server, project)) is not None:
        with waiting(f"sending {module}") as bar:
            graph = remote.add_ontology(module, name=replace, told=hearing(bar, str(module)))
        typer.echo(f"{graph}: added")
        return
    from ..api.clients import add_module
    from ..config import Settings

    settings = Settings.load(named_project(project))
    with masked(settings.engine.umask), waiting(f"taking {module} in, and closing the knowledge anew"):
        said = add_module(settings, module, replace)
    typer.echo("\n".join(said))


@app.command(
    "remove",
    epilog="Examples: `kaicep ontology remove rooms.ttl --project campus/`, "
    "`kaicep ontology remove rooms.ttl --server http://ops:8080`",
)
def remove_module(
    module: Annotated[str, typer.Argument(metavar="MODULE", help="Its file, file name or ontology IRI.")],
    project: ProjectUnlessServer = None,
    *,
    server: ServerOption = None,
) -> None:
    """Remove a module; its file stays where it is."""
    if (remote := server_of(server, project)) is not None:
        with waiting(f"leaving {module} out") as bar:
            remote.remove_ontology(module, told=hearing(bar, f"leaving {module} out"))
        typer.echo(f"{module}: removed")
        return
    from ..api.clients import remove_module
    from ..config import Settings

    settings = Settings.load(named_project(project))
    with masked(settings.engine.umask), waiting(f"leaving {module} out, and closing the knowledge anew"):
        said = remove_module(settings, module)
    typer.echo("\n".join(said))


@app.command("list", epilog="Example: `kaicep ontology list campus/`")
def list_modules(
    project: ProjectAtLast = None,
    *,
    named: ProjectByName = None,
    form: RowFormOption = None,
    server: ServerOption = None,
) -> None:
    """List the modules, and since which version, batch and moment each has been in force."""
    if (remote := server_of(server, project, named)) is not None:
        _print_modules_of(remote, form)
        return
    from ..api.clients import MODULE_COLUMNS, list_modules
    from ..config import Settings

    settings = Settings.load(project_of(project, named))
    rows, said = list_modules(settings)
    print_rows(rows, MODULE_COLUMNS, form, settings)
    for line in said:
        tell(line)


def _print_modules_of(remote: Client, form: RowFormOption) -> None:
    columns = ("module", "triples", "from", "version", "batch", "since")
    found = [(one.name, one.triples, one.origin, one.version, one.batch, one.since) for one in remote.graphs()]
    print_remote_rows([dict(zip(columns, row, strict=True)) for row in found], columns, form)


@app.command("shipped", epilog="Example: `kaicep ontology shipped`")
def list_shipped(*, form: RowFormOption = None) -> None:
    """List the ontologies that a project may name: `modules = ["brick:1.5", "sosa"]`."""
    from ..api.clients import SHIPPED_COLUMNS, list_shipped
    from ..config import Settings

    print_rows(list_shipped(), SHIPPED_COLUMNS, form, Settings())
