"""Arguments and options that several commands take."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .completion import project_paths, query_files, stream_names


class RowFormat(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


ProjectFile = Annotated[
    Path,
    typer.Argument(
        metavar="PROJECT", help="A kaicep.toml, or the folder that holds one.", autocompletion=project_paths
    ),
]
ProjectAtLast = Annotated[
    Path | None,
    typer.Argument(
        metavar="[PROJECT]",
        help="A kaicep.toml, or the folder that holds one; here, or with --project.",
        autocompletion=project_paths,
        show_default=False,
    ),
]
ProjectOption = Annotated[
    Path,
    typer.Option(
        "--project",
        "-p",
        metavar="PROJECT",
        help="A kaicep.toml, or the folder that holds one.",
        autocompletion=project_paths,
    ),
]
ProjectByName = Annotated[
    Path | None,
    typer.Option(
        "--project",
        "-p",
        metavar="PROJECT",
        help="The same.",
        autocompletion=project_paths,
    ),
]
ProjectUnlessServer = Annotated[
    Path | None,
    typer.Option(
        "--project",
        "-p",
        metavar="PROJECT",
        help="A kaicep.toml, or the folder that holds one; unless a server is asked.",
        autocompletion=project_paths,
    ),
]
OptionalProject = Annotated[
    Path | None,
    typer.Option(
        "--project",
        "-p",
        metavar="PROJECT",
        help="A kaicep.toml, or the folder that holds one; for PATHs.",
        autocompletion=project_paths,
    ),
]
Query = Annotated[
    str,
    typer.Argument(
        metavar="QUERY", help="χ-CEP: a file, a text, or - for the standard input.", autocompletion=query_files
    ),
]
RowFormOption = Annotated[
    RowFormat | None,
    typer.Option("--format", "-f", help="How rows are printed; by default a table on terminals, else json."),
]
StreamOption = Annotated[
    str | None,
    typer.Option(
        "--stream",
        metavar="NAME",
        help="The stream that a plain FILE stands for.",
        autocompletion=stream_names,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print rows and errors only.")]


def project_of(argument: Path | None, option: Path | None) -> Path:
    """The project that a command names, as its last argument or by its option.

    Raises:
        typer.BadParameter: it names none, or two.
    """
    if argument is not None and option is not None:
        raise typer.BadParameter(f"is named twice, as {argument} and as {option}", param_hint="PROJECT")
    found = option if argument is None else argument
    if found is None:
        raise typer.BadParameter("is missing: a kaicep.toml, or the folder that holds one", param_hint="PROJECT")
    return found


class MissingOptionError(typer.BadParameter):
    """An option that a command needs unless it is for a server; told as one that it always needs."""

    def format_message(self) -> str:
        """What is told."""
        return f"Missing option '{self.param_hint}'."


def named_project(option: Path | None) -> Path:
    """The project that a command names by its option alone.

    Raises:
        MissingOptionError: it names none.
    """
    if option is None:
        raise MissingOptionError("", param_hint="--project")
    return option
