"""The command line: `kaicep demo | run | try | check | explain | why | sparql | compact | backup | verify | ontology`.

Rows go to the standard output, all else to the standard error. Exit codes: 0; 1 for an error that kaicep explains; 2
for a command that nobody understands; 3 for a store that is not what its log says; 130 after Ctrl-C; 143 when told to
terminate.
"""

# ruff: noqa: PLC0415 - commands import what needs Arrow, the reasoners or Spark, so that `--help` answers at once

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from .errors import KaicepError, PipelineError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .config import Settings
    from .pipeline.sinks import Sink

_PAGE = 120
_WIDE = 500
_STORE_UNSOUND = 3

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; tell its errors and leave with their exit code."""
        try:
            return super().invoke(ctx)
        except KaicepError as error:
            _tell(str(error))
            for note in getattr(error, "__notes__", ()):
                _tell(note)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as stop:
            raise typer.Exit(130) from stop


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Semantic event processing: χ-CEP queries over past, present and future events, SPARQL over all of them.",
)

ontology = typer.Typer(
    no_args_is_help=True, rich_markup_mode="markdown", help="Change the ontology modules, also while an engine runs."
)
app.add_typer(ontology, name="ontology", epilog="Example: `kaicep ontology add rooms.ttl --project campus/`")


class Rows(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class Reasons(StrEnum):
    """How reasons are printed."""

    TREE = "tree"
    JSON = "json"


class Matches(StrEnum):
    """How `run` writes matches."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    CONSOLE = "console"


ProjectFile = Annotated[Path, typer.Argument(metavar="PROJECT", help="A kaicep.toml, or the folder that holds one.")]
ProjectOption = Annotated[
    Path, typer.Option("--project", "-p", metavar="PROJECT", help="A kaicep.toml, or the folder that holds one.")
]
Query = Annotated[str, typer.Argument(metavar="QUERY", help="χ-CEP: a file, a text, or - for the standard input.")]
RowForm = Annotated[
    Rows | None,
    typer.Option("--format", "-f", help="How rows are printed; by default a table on terminals, else json."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print rows and errors only.")]


@app.command(epilog="Example: `kaicep demo`")
def demo(
    folder: Annotated[
        Path | None, typer.Option(help="Work there and keep everything; by default in a temporary folder.")
    ] = None,
    *,
    quiet: Quiet = False,
) -> None:
    """Stream the real readings of a building through Spark, with queries; takes about a minute."""
    from .pipeline.demo import run_demo

    out = Console(file=sys.stdout, highlight=False)
    run_demo(folder, out if out.is_terminal else Console(width=_PAGE, highlight=False), _log(), quiet=quiet)


@app.command(epilog="Examples: `kaicep run campus/`, `kaicep run kaicep.toml --once -Q high.chi --out matches.jsonl`")
def run(
    project: ProjectFile,
    *,
    once: Annotated[bool, typer.Option("--once", help="Stop when everything that is there has been read.")] = False,
    query: Annotated[
        list[Path] | None,
        typer.Option("--query", "-Q", metavar="FILE", help="Queries to run instead of the project's; may be repeated."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Where matches go: a file, for parquet a folder.")
    ] = None,
    form: Annotated[
        Matches | None, typer.Option("--format", "-f", help="By default console on terminals, else jsonl.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Read the project's streams, report the matches of its queries, archive all events.

    Ctrl-C stops after the batch at work; the next run goes on from there.
    """
    from .pipeline.project import Project
    from .pipeline.query_files import query_files, read_document
    from .pipeline.runner import run_queries

    form = form or (Matches.CONSOLE if out is None and sys.stdout.isatty() else Matches.JSONL)
    _check_output(out, form)
    loaded = Project.load(project)
    documents = [(path.name, read_document(path)) for path in query or query_files(loaded.settings)]
    if not documents and not loaded.settings.archive.enabled:
        raise PipelineError(
            "there is nothing to do: no query, and the archive is switched off",
            hint="name queries with --query, or in the project file under [queries]",
        )
    run_queries(loaded, documents, _sink(out, form, loaded.settings), _log(), once=once, quiet=quiet)


@app.command(
    "try", epilog="Example: `kaicep try 'SELECT ?e.value FILTER (?e.value > 900)' -e readings.jsonl -p campus/`"
)
def try_query(
    query: Query,
    events: Annotated[
        list[str],
        typer.Option(
            "--events",
            "-e",
            metavar="FILE",
            help="JSON lines, a JSON array, CSV or Parquet, also .gz; NAME=FILE for one of several streams.",
        ),
    ],
    project: ProjectOption,
    *,
    stream: Annotated[str | None, typer.Option(metavar="NAME", help="The stream that a plain FILE stands for.")] = None,
    form: RowForm = None,
    quiet: Quiet = False,
) -> None:
    """Answer a query over recorded events, which end then; without Spark and without an archive."""
    from .pipeline.project import Project
    from .pipeline.trial import read_recorded

    text, source = _text_of(query)
    loaded = Project.load(project)
    queries = loaded.compile(text, source=source)
    tables, complaints = read_recorded(loaded, events, stream)
    if not quiet:
        for complaint in complaints:
            _tell(complaint)
    rows = loaded.evaluate(text, tables)
    columns = list(rows[0]) if rows else [*(item.name for item in queries[-1].items), "_time", "_id"]
    _print(rows, columns, form, loaded.settings)


@app.command(epilog="Example: `kaicep check campus/`")
def check(project: ProjectFile) -> None:
    """Check everything that a project names: settings, knowledge, annotations, queries; tell all that is wrong."""
    from .pipeline.check import check_project

    report = check_project(project)
    for line in report.found:
        typer.echo(line)
    for fault in report.faults:
        _tell(fault)
    for skipped in report.skipped:
        _tell(f"not checked: {skipped}")
    if report.faults:
        raise typer.Exit(1)


@app.command(epilog="Example: `kaicep explain high.chi --project campus/`")
def explain(query: Query, project: ProjectOption) -> None:
    """Say in words how queries would be answered."""
    from .pipeline.project import Project

    text, source = _text_of(query)
    loaded = Project.load(project)
    typer.echo("\n\n".join(loaded.explain(compiled) for compiled in loaded.compile(text, source=source)))


@app.command(
    epilog="Examples: `kaicep why high.chi -e urn:kaicep:event:air/s1/1767225602000000 -p campus/`, "
    '`kaicep why high.chi -e \'{"sensor": "s1", "at": "2026-01-01T00:00:00Z", "flow": 5}\' -p campus/`'
)
def why(
    query: Query,
    event: Annotated[
        str,
        typer.Option(
            "--event",
            "-e",
            metavar="EVENT",
            help="A tuple as a JSON object, a file with one, or an archived event's id.",
        ),
    ],
    project: ProjectOption,
    *,
    stream: Annotated[str | None, typer.Option(metavar="NAME", help="The stream that a tuple is of.")] = None,
    variable: Annotated[
        str | None, typer.Option(metavar="NAME", help="The event variable to explain; by default all of the stream.")
    ] = None,
    form: Annotated[Reasons, typer.Option("--format", "-f", help="How reasons are printed.")] = Reasons.TREE,
) -> None:
    """Say why an event is a candidate of a query, down to axioms; or which clause drops it, and by how much."""
    from .ontology.proofs import Wording
    from .pipeline.project import Project
    from .pipeline.why_printing import explanation_dict, explanation_tree

    text, source = _text_of(query)
    tuple_or_id = _event_of(event)
    loaded = Project.load(project)
    found = loaded.why(
        text, tuple_or_id, stream=stream, variable=variable and variable.removeprefix("?"), source=source
    )
    if form is Reasons.JSON:
        typer.echo(json.dumps(explanation_dict(found), ensure_ascii=False))
    else:
        out = Console(file=sys.stdout, highlight=False)
        out = out if out.is_terminal else Console(file=sys.stdout, width=_WIDE, highlight=False)
        out.print(explanation_tree(found, Wording(loaded.knowledge)), soft_wrap=True)


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
    from .archive import ArchiveReader, Graph, Solutions
    from .config import Settings

    text, _ = _text_of(query)
    settings = Settings.load(project)
    with ArchiveReader(settings) as archive:
        answer = archive.query(text, timeout=timeout)
    match answer:
        case Solutions():
            _print(list(answer), answer.variables, form, settings)
        case Graph():
            typer.echo(str(answer), nl=False)
        case _:
            typer.echo("true" if answer else "false")


@app.command(epilog="Example: `kaicep compact campus/`")
def compact(project: ProjectFile) -> None:
    """Put the log's small segments together, as a running engine does by itself; let the store give back space."""
    from .archive import compact_archive
    from .config import Settings

    done = compact_archive(Settings.load(project))
    typer.echo(f"{done.before:,} segments became {done.after:,}")


@app.command(epilog="Example: `kaicep backup campus/ /backups/campus-monday`")
def backup(
    project: ProjectFile,
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new or empty folder.")],
) -> None:
    """Copy the archive, also while an engine is writing it. To restore, name the copy as `path` under `[archive]`."""
    from .archive import backup
    from .config import Settings

    typer.echo(f"{backup(Settings.load(project), target):,} events in {target}")


@app.command(epilog="Example: `kaicep verify campus/`")
def verify(project: ProjectFile) -> None:
    """Read the whole archive and compare store and log, also while an engine is writing it.

    Exit codes: 0 sound, perhaps with a store that lags; 1 the log is damaged, or there is none; 3 the log is sound but
    the store is not: move it away, and the next start builds it again from the log.
    """
    from .archive import verify
    from .config import Settings

    found = verify(Settings.load(project))
    for stream, events in found.events.items():
        typer.echo(f"{stream}: {events:,} events")
    typer.echo(f"log: {found.segments:,} segments")
    if found.lag is not None:
        typer.echo(f"store: {found.lag.events:,} events of {found.lag.batches:,} batches behind the log")
    for fault in (*found.log_faults, *found.store_faults):
        _tell(fault)
    if found.store_faults:
        _tell("move the store's folder away; the next start builds it again from the log")
    if found.log_faults or found.store_faults:
        raise typer.Exit(1 if found.log_faults else _STORE_UNSOUND)


@ontology.command("add", epilog="Example: `kaicep ontology add rooms.ttl --project campus/`")
def add_module(
    module: Annotated[Path, typer.Argument(metavar="FILE", help="An ontology module, in any RDF syntax.")],
    project: ProjectOption,
    *,
    replace: Annotated[
        str | None,
        typer.Option(metavar="MODULE", help="The module whose place it takes: its file, file name or ontology IRI."),
    ] = None,
) -> None:
    """Add a module, or replace the one of the same file or ontology IRI.

    A running engine takes it over at a batch border; without one, the next start does. A module that is broken, that
    contradicts the others, or that would change the columns of a running query, is refused.
    """
    from .config import Settings
    from .pipeline.ontology_commands import add_module

    typer.echo("\n".join(add_module(Settings.load(project), module, replace)))


@ontology.command("remove", epilog="Example: `kaicep ontology remove rooms.ttl --project campus/`")
def remove_module(
    module: Annotated[str, typer.Argument(metavar="MODULE", help="Its file, file name or ontology IRI.")],
    project: ProjectOption,
) -> None:
    """Remove a module; its file stays where it is."""
    from .config import Settings
    from .pipeline.ontology_commands import remove_module

    typer.echo("\n".join(remove_module(Settings.load(project), module)))


@ontology.command("list", epilog="Example: `kaicep ontology list --project campus/`")
def list_modules(project: ProjectOption, *, form: RowForm = None) -> None:
    """List the modules, and since which version, batch and moment each has been in force."""
    from .config import Settings
    from .pipeline.ontology_commands import COLUMNS, list_modules

    settings = Settings.load(project)
    rows, said = list_modules(settings)
    _print(rows, COLUMNS, form, settings)
    for line in said:
        _tell(line)


def main() -> None:
    """Run the command line of this process."""
    app()


def _text_of(query: str) -> tuple[str, str]:
    """Return a query's text and what to call it: a file's if there is one of this name, else the words themselves."""
    from .pipeline.query_files import read_document

    if query == "-":
        return sys.stdin.read(), "stdin"
    if len(query.split()) == 1 and (Path(query).exists() or Path(query).suffix):
        return read_document(Path(query)), query
    return query, "query"


def _event_of(event: str) -> str | dict[str, object]:
    """Return a tuple from JSON or a file, else the id that an event is named by."""
    text = event
    if not event.lstrip().startswith("{") and Path(event).is_file():
        text = Path(event).read_text(encoding="utf-8")
    if not text.lstrip().startswith("{"):
        return event
    try:
        found: dict[str, object] = json.loads(text)
    except json.JSONDecodeError as error:
        raise PipelineError(
            f"the event is no JSON object: {error.msg} at character {error.pos + 1}",
            hint='write {"attribute": value, …}',
        ) from error
    return found


def _check_output(out: str | None, form: Matches) -> None:
    if form is Matches.PARQUET and out is None:
        raise typer.BadParameter("parquet needs --out FOLDER", param_hint="--format")
    if form is Matches.CONSOLE and out is not None:
        raise typer.BadParameter("console writes no file; leave --out away", param_hint="--format")


def _sink(out: str | None, form: Matches, settings: Settings) -> Sink:
    from .pipeline.sinks import ConsoleSink, JsonLinesSink, ParquetSink

    match form:
        case Matches.PARQUET:
            return ParquetSink(str(out))
        case Matches.CONSOLE:
            return ConsoleSink(prefixes=settings.prefixes)
        case Matches.JSONL:
            return JsonLinesSink(out or "-")


def _print(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], form: Rows | None, settings: Settings) -> None:
    from .pipeline.printing import print_rows

    chosen = form or (Rows.TABLE if sys.stdout.isatty() else Rows.JSON)
    print_rows(rows, columns, chosen.value, sys.stdout, settings.prefixes)


def _log() -> Console:
    return Console(stderr=True, highlight=False)


def _tell(message: str) -> None:
    typer.echo(message, err=True)
