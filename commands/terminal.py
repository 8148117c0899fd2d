"""What commands read from and write to: rows on the standard output, all else on the standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from .options import RowFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..api import Project
    from ..config import Settings
    from ..ontology.modules import Module
    from ..ontology.reasoners import Closing, Closure, ClosureLimits
    from ..pipeline.sinks import RowPrinter
    from ..settings import ReasonerName
    from .progress_bar import ProgressBar

CLOSING = "reading the project and what follows from its ontologies"


def text_of(query: str) -> tuple[str, str]:
    """Return a query's text and what to call it: a file's if there is one of this name, else the words themselves."""
    from ..pipeline import read_document

    if query == "-":
        return sys.stdin.read(), "stdin"
    if len(query.split()) == 1 and (Path(query).exists() or Path(query).suffix):
        return read_document(Path(query)), query
    return query, "query"


def print_rows(
    rows: Sequence[Mapping[str, Any]], columns: Iterable[str], form: RowFormat | None, settings: Settings
) -> None:
    """Print rows, in the form that suits the standard output if none is asked for; IRIs with the project's prefixes."""
    with row_printer(columns, form, settings) as printer:
        printer.write(rows)


def row_printer(columns: Iterable[str], form: RowFormat | None, settings: Settings) -> RowPrinter:
    """What prints rows as they come; see `print_rows`."""
    from ..pipeline import sinks

    chosen = form or (RowFormat.TABLE if sys.stdout.isatty() else RowFormat.JSON)
    return sinks.RowPrinter(columns, chosen.value, sys.stdout, settings.prefixes)


def load_project(path: Path, *, quiet: bool = False) -> Project:
    """Load a project; people who wait for its reasoner see that something goes on."""
    with waiting(CLOSING, quiet=quiet) as bar:
        from ..api import Project

        return Project.load(path, closing=closing_on(bar))


def closing_on(bar: ProgressBar) -> Closing:
    """What closes knowledge and tells on a bar how much that is, and how long it takes."""
    from ..ontology.reasoners import REASONERS, close

    def closing(
        modules: Sequence[Module], reasoner: ReasonerName, prefixes: Mapping[str, str], limits: ClosureLimits
    ) -> Closure:
        triples, pace = sum(len(module.triples) for module in modules), REASONERS[reasoner].seconds
        bar.computing(f"closing {triples:,} triples by {reasoner}", None if pace is None else triples * pace)
        return close(modules, reasoner, prefixes, limits)

    return closing


def waiting(what: str, total: float | None = None, *, quiet: bool = False) -> ProgressBar:
    """A bar on the standard error for what may take longer than two seconds."""
    from .progress_bar import ProgressBar

    return ProgressBar(log(), what, total, quiet=quiet)


def log() -> Console:
    """The console for progress and counts."""
    return Console(stderr=True, highlight=False)


def tell(message: str) -> None:
    """Print a line that is no row."""
    typer.echo(message, err=True)
