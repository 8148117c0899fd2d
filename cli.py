"""The command line: what `kaicep --help` lists.

Rows go to the standard output, all else to the standard error. Exit codes: 0; 1 for an error that kaicep explains; 2
for a command that nobody understands; 3 for a store that is not what its log says; 130 after Ctrl-C; 143 when told to
terminate.
"""

from __future__ import annotations

import gc
import platform
from importlib.metadata import version as version_of
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .commands import (
    action_group,
    archive_group,
    init_group,
    ontology_group,
    query_group,
    replay_group,
    run_group,
    submit_group,
    tell,
)
from .errors import KaicepError

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; tell its errors and leave with their exit code."""
        try:
            return super().invoke(ctx)
        except KaicepError as error:
            tell(str(error))
            for note in getattr(error, "__notes__", ()):
                tell(note)
            raise typer.Exit(1) from error
        except OSError as error:
            if error.filename is None:
                raise
            tell(f"{error.filename}: {error.strerror}: see that it is there, and may be read and written")
            raise typer.Exit(1) from error
        except KeyboardInterrupt as stop:
            for note in getattr(stop, "__notes__", ()):
                tell(note)
            raise typer.Exit(130) from stop


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Semantic event processing: χ-CEP queries over past, present and future events, SPARQL over all of them.",
)

app.add_typer(init_group)
app.add_typer(run_group)
app.add_typer(submit_group)
app.add_typer(query_group)
app.add_typer(archive_group)
app.add_typer(replay_group)
app.add_typer(action_group, name="actions", epilog="Example: `kaicep actions waiting campus/`")
app.add_typer(ontology_group, name="ontology", epilog="Example: `kaicep ontology add rooms.ttl --project campus/`")


def _tell_version(wanted: bool) -> None:  # noqa: FBT001 - so typer calls it
    if wanted:
        typer.echo(f"kaicep {version_of('kaicep')}, Python {platform.python_version()}")
        raise typer.Exit


@app.callback()
def _before(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version, and end.")
    ] = False,
) -> None:
    """Do nothing: what stands before a command is done by the options themselves."""


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(100_000)  # what is loaded stays: looking for garbage among it took an eighth of a short command
    try:
        app()
    finally:
        gc.freeze()  # nor is garbage looked for when Python ends, which took a quarter of one
