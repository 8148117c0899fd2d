"""The command that makes a first project."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Quiet
from .terminal import tell, waiting

app = typer.Typer()


@app.command(
    epilog="Examples: `kaicep init building.ttl readings.csv`, "
    "`kaicep init brick.ttl rooms.ttl readings/ -p office/ --timezone Europe/Copenhagen`, "
    "`kaicep init building.ttl export.csv --time Date --time-format month_first --id 'Point Name'`"
)
def init(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL... EVENTS",
            help="RDF files of the building (Brick, SOSA, SAREF); last a file of readings, a folder or a glob pattern.",
        ),
    ],
    project: Annotated[
        Path, typer.Option("--project", "-p", metavar="FOLDER", help="Where the project is written; made if missing.")
    ] = Path(),
    *,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the time stamps.")] = None,
    time_format: Annotated[
        str | None,
        typer.Option(metavar="FORMAT", help="How they are written: iso, epoch_ms, day_first, '%d.%m.%Y %H:%M', …"),
    ] = None,
    timezone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Where the clocks stood, such as Europe/Copenhagen; else UTC.")
    ] = None,
    id_column: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="The column of the ids.")] = None,
    quiet: Quiet = False,
) -> None:
    """Make a project of a building's model and its readings (CSV, Parquet, JSON): kaicep.toml and two first queries.

    Columns, time stamps and ids are recognised: a row for each reading, a column for each point, or a file for each
    sensor. The queries are tried on the readings. Nothing is overwritten.
    """
    from ..errors import ConfigError
    from .scaffolding import InitOptions, draft_project, write_project

    if len(files) < 2:
        raise ConfigError(
            "a project is made of a model and readings", hint="name both: kaicep init building.ttl readings.csv"
        )
    command = shlex.join(["kaicep", *sys.argv[1:]]) if sys.argv[1:2] == ["init"] else "kaicep init"
    known = InitOptions(time, id_column, time_format, timezone)
    with waiting("recognising the readings, and closing the model", quiet=quiet):
        made = write_project(draft_project(files[:-1], files[-1], project, known), command)
    if quiet:
        return
    for line in made.told:
        tell(line)
    tell(f"\nwritten: {', '.join(str(project / name) for name in sorted(made.files))}\nnext:")
    tell(f"  kaicep check {project}")
    tell(f"  kaicep try {project / 'queries' / '1_high.chi'} -e {files[-1]} -p {project}")
    tell(f"  kaicep run {project} --finish --out matches.jsonl")
