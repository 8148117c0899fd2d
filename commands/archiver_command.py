"""The command that keeps events beside the engine."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import ProjectFile, Quiet
from .terminal import log

app = typer.Typer()


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
    from ..api import Project
    from ..pipeline.hosting import archive

    if standby and not follow:
        raise typer.BadParameter("stands by only with --follow", param_hint="--standby")
    archive(Project.load(project), log(), follow=follow, standby=standby, quiet=quiet)
