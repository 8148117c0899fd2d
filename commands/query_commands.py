"""Commands that look at queries, without Spark: answer over recorded events, check, explain, why."""

from __future__ import annotations

import json
import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ..errors import PipelineError, PlanError
from .completion import stream_names
from .options import (
    MissingOptionError,
    OptionalProject,
    ProjectFile,
    ProjectOption,
    ProjectUnlessServer,
    Query,
    Quiet,
    RowFormOption,
    StreamOption,
    named_project,
)
from .remote import ServerOption, print_remote_rows, server_of
from .terminal import closing_on, load_project, tell, text_of, waiting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..api import Client, Project
    from ..explain import Diagram, PlanNode

_WIDE = 500

app = typer.Typer()


class PlanFormat(StrEnum):
    """How it is said how queries are answered."""

    TEXT = "text"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


class CheckFormat(StrEnum):
    """How what a check found is printed."""

    TEXT = "text"
    JSON = "json"


class ReasonFormat(StrEnum):
    """How reasons are printed."""

    TREE = "tree"
    JSON = "json"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


@app.command(
    "try",
    epilog="Examples: `kaicep try 'SELECT ?e.value FILTER (?e.value > 900)' -e readings.csv`, "
    "`kaicep try high.chi -e readings.jsonl -p campus/`, `kaicep try high.chi --last 1h --server http://ops:8080`",
)
def try_query(
    query: Query,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--events",
            "-e",
            metavar="FILE",
            help="JSON, CSV, Parquet, also .gz, .bz2, .xz, or a folder of them; NAME=FILE for one of several streams.",
        ),
    ] = None,
    project: OptionalProject = None,
    *,
    stream: StreamOption = None,
    form: RowFormOption = None,
    quiet: Quiet = False,
    last: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION", help="Of a server: so much of what its archive has, back from the newest event."
        ),
    ] = None,
    server: ServerOption = None,
) -> None:
    """Answer a query over recorded events, which end then; without Spark and without an archive.

    Without a project each file is a stream: its columns, their types and the format of its time stamps are recognised,
    and told. Of several queries in a document the rows of the last one are printed.
    """
    text, source = text_of(query)
    if (remote := server_of(server, project, *map(Path, events or ()))) is not None:
        _try_at(remote, text, last, form, quiet=quiet)
        return
    if not events:
        raise MissingOptionError("", param_hint="--events")
    if last is not None:
        raise typer.BadParameter("is for servers: name one by --server", param_hint="--last")
    from .trials import infer_project, refuse_paths, try_document

    if project is not None:
        try_document(
            load_project(project, quiet=quiet), text, events, source=source, stream=stream, form=form, quiet=quiet
        )
        return
    refuse_paths(text)
    inferred = infer_project(events, stream)
    for line in () if quiet else inferred.told:
        tell(line)
    try_document(inferred.project, text, inferred.files, source=source, form=form, quiet=quiet)


def _try_at(remote: Client, text: str, last: str | None, form: RowFormOption, *, quiet: bool) -> None:
    """Print what a document would have found in a server's archive."""
    if last is None:
        raise MissingOptionError("", param_hint="--last")
    with waiting("trying it", 1.0, quiet=quiet) as bar:
        found = remote.try_query(text, last=last, told=lambda job: bar(job.progress or 0.0))
    print_remote_rows(found.rows, found.columns, form)
    if not quiet:
        for warning in found.warnings:
            tell(f"warning: {warning}")
        tell(f"{found.count:,} rows of {sum(found.events.values()):,} events")


@app.command(
    epilog="Examples: `kaicep check campus/`, `kaicep check campus/ --events readings.csv`, "
    "`kaicep check campus/ --fix repair.ru`"
)
def check(
    project: ProjectFile,
    *,
    events: Annotated[
        list[str] | None,
        typer.Option(
            "--events",
            "-e",
            metavar="FILE",
            help="Recorded events: report how they go with model and queries; NAME=FILE for one of several streams.",
        ),
    ] = None,
    fix: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a SPARQL Update there that takes back the fewest statements that contradict others.",
        ),
    ] = None,
    stream: StreamOption = None,
    form: Annotated[CheckFormat, typer.Option("--format", "-f", help="How it is printed.")] = CheckFormat.TEXT,
) -> None:
    """Check everything that a project names: settings, knowledge, annotations, queries; tell all that is wrong.

    With recorded events also what is in them and not declared, and declared and not in them; which ids are known, to
    which classes they belong; how much each PATH holds for; and behind which clause of a query no event is left.
    """
    from .project_check import check_project

    with waiting("checking the project") as bar:
        report = check_project(project, fix, events or (), stream, closing_on(bar))
    if form is CheckFormat.JSON:
        typer.echo(json.dumps(report.as_dict(), ensure_ascii=False, default=str))
    else:
        for line in (*report.found, *report.mapping_lines()):
            typer.echo(line)
        skipped = (f"not checked: {one}" for one in report.skipped)
        for line in (*report.warnings, *report.faults, *report.contradictions, *skipped, *report.remarks):
            tell(line)
    if report.faults:
        raise typer.Exit(1)


@app.command(
    epilog="Examples: `kaicep explain high.chi --project campus/`, `kaicep explain rise.chi --nfa -f dot -p campus/`"
)
def explain(
    query: Query,
    project: ProjectUnlessServer = None,
    *,
    nfa: Annotated[
        bool, typer.Option("--nfa", help="Draw the automata of patterns instead: states, and what leads from each.")
    ] = False,
    contexts: Annotated[
        bool,
        typer.Option(
            "--contexts",
            help="Draw the contexts instead: what is asked in each, and which queries lead from one to another.",
        ),
    ] = False,
    filters: Annotated[
        bool,
        typer.Option(
            "--filters",
            help="Draw what is asked of single events instead, from streams to event variables: what several queries "
            "ask alike stands once.",
        ),
    ] = False,
    form: Annotated[
        PlanFormat | None,
        typer.Option("--format", "-f", help="In words, or as a picture; of automata, contexts and filters mermaid."),
    ] = None,
    server: ServerOption = None,
) -> None:
    """Say how queries would be answered if they were registered now, in words or as a picture.

    Of a query that begins in the past this says by which strategy and why, from what the archive holds, also while an
    engine is writing it.
    """
    text, source = text_of(query)
    drawn = "automata" if nfa else "contexts" if contexts else "filters" if filters else None
    if (remote := server_of(server, project)) is not None:
        chosen: Any = form.value if form is not None else "text" if drawn is None else "mermaid"
        typer.echo(remote.explain(text, form=chosen, subject=drawn or "plan"))
        return
    from ..explain import explain_registrations
    from ..language.checks import asks_of_states
    from ..pipeline import labelled, queries_read

    loaded = load_project(named_project(project))
    if asks_of_states(text, source):
        _print_plans([_asked_plan(loaded, text, source)], form, loaded.knowledge.prefixes)
        return
    read = queries_read(loaded, text, source)
    if drawn is not None and form is PlanFormat.TEXT:
        raise PlanError(f"{drawn} are pictures", hint="take --format mermaid, dot or svg")
    if nfa:
        from ..explain import automaton_diagram_of

        _draw([automaton_diagram_of(one) for one in loaded.compile(text, source=source, outputs=read)], form)
        return
    queries = [*labelled(read), *loaded.registrations(text, source, read)]
    if contexts:
        from ..explain import transition_network_of

        _draw([transition_network_of(queries)], form)
        return
    if filters:
        from ..explain import filter_graph_of, runtimes_of

        _draw([filter_graph_of(runtimes_of(loaded, queries), loaded.knowledge.prefixes)], form)
        return
    _print_plans(explain_registrations(loaded, queries)[len(read) :], form, loaded.knowledge.prefixes)


def _asked_plan(project: Project, text: str, source: str) -> PlanNode:
    """The plan of a query that is asked once, of the states of the queries that the next engine answers."""
    from ..explain import explain_asked
    from ..pipeline.asking import compile_asked
    from ..pipeline.control import SubmittedQueries, folder_of, registered_at_start

    queries = registered_at_start(project, SubmittedQueries(folder_of(project.settings)).documents())
    asked = compile_asked(project, text, source, [registered.query for registered in queries], ())
    return explain_asked(project, asked)


def _print_plans(plans: Sequence[PlanNode], form: PlanFormat | None, prefixes: Mapping[str, str]) -> None:
    """Print plans in words, or as a picture."""
    from ..explain import plan_text

    if form in (None, PlanFormat.TEXT):
        typer.echo("\n\n".join(plan_text(plan, prefixes) for plan in plans))
    else:
        from ..explain import plan_diagram_of

        _draw([plan_diagram_of(plan, prefixes) for plan in plans], form)


def _draw(diagrams: Sequence[Diagram], form: PlanFormat | ReasonFormat | None) -> None:
    """Print diagrams as one; where no form is asked for, in Mermaid."""
    from ..explain import DiagramFormat, joined_diagrams, write_diagram

    typer.echo(write_diagram(joined_diagrams(diagrams), DiagramFormat(form or "mermaid")))


@app.command(
    epilog="Examples: `kaicep why high.chi -e urn:kaicep:event:air/s1/1767225602000000 -p campus/`, "
    '`kaicep why high.chi -e \'{"sensor": "s1", "at": "2026-01-01T00:00:00Z", "flow": 5}\' -p campus/`'
)
def why(
    query: Query,
    project: ProjectOption,
    *,
    event: Annotated[
        str | None,
        typer.Option(
            "--event",
            "-e",
            metavar="EVENT",
            help="A tuple as a JSON object, a file with one, or an archived event's id. Without, a row is explained.",
        ),
    ] = None,
    stream: Annotated[
        str | None, typer.Option(metavar="NAME", help="The stream that a tuple is of.", autocompletion=stream_names)
    ] = None,
    variable: Annotated[
        str | None, typer.Option(metavar="NAME", help="The event variable to explain; by default all of the stream.")
    ] = None,
    form: Annotated[ReasonFormat, typer.Option("--format", "-f", help="How reasons are printed.")] = ReasonFormat.TREE,
) -> None:
    """Say why an event is a candidate of a query, down to axioms; or which clause drops it, and by how much.

    Of a row's `_id` in place of QUERY it says in which windows of contexts the row lies, and who opened these.
    """
    if event is None:
        _why_row(query, project, form)
        return
    from ..explain import explanation_dict, explanation_tree
    from ..ontology.proofs import TurtleWriter

    text, source = text_of(query)
    tuple_or_id = _event_of(event)
    loaded = load_project(project)
    found = loaded.why(
        text, tuple_or_id, stream=stream, variable=variable and variable.removeprefix("?"), source=source
    )
    wording = TurtleWriter(loaded.knowledge, found.prefixes)
    if form is ReasonFormat.JSON:
        typer.echo(json.dumps(explanation_dict(found), ensure_ascii=False))
    elif form is not ReasonFormat.TREE:
        from ..explain import reason_diagram_of

        _draw([reason_diagram_of(found, wording)], form)
    else:
        out = Console(file=sys.stdout, highlight=False)
        out = out if out.is_terminal else Console(file=sys.stdout, width=_WIDE, highlight=False)
        out.print(explanation_tree(found, wording), soft_wrap=True)


def _why_row(row: str, project: Path, form: ReasonFormat) -> None:
    """Say in which windows of contexts a row lies."""
    from ..explain import row_dict, row_lines

    if not re.fullmatch("[0-9a-f]{32}", row):
        raise PipelineError(
            "no event is given, and no row's id", hint="add --event EVENT, or give the _id of a row in place of QUERY"
        )
    if form not in (ReasonFormat.TREE, ReasonFormat.JSON):
        raise PipelineError(f"the contexts of a row are not drawn as {form}", hint="choose --format tree or json")
    told = load_project(project).why_row(row)
    if form is ReasonFormat.JSON:
        typer.echo(json.dumps(row_dict(told), ensure_ascii=False))
        return
    for line in row_lines(told):
        typer.echo(line)


def _event_of(event: str) -> str | dict[str, object]:
    """Return a tuple from JSON or a file, else the id that an event is named by."""
    text = event
    if not event.lstrip().startswith("{") and Path(event).is_file():
        text = Path(event).read_text(encoding="utf-8-sig")
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
