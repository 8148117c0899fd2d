"""`kaicep try`: a document over recorded events, rows printed as they become certain, with progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...api import Project
from ...cep.output import output_schema
from ...errors import PipelineError
from ...explain import mapping_lines, report_mapping
from ...language.nodes import Query
from ...pipeline import change_label, labelled, queries_read
from ...pipeline.flow import Registration
from ...pipeline.flow.rules import CALLS, shown_calls
from ...pipeline.sinks import rows
from ..options import RowFormat
from ..progress_bar import ProgressBar
from ..progress_line import ProgressLine
from ..project_warnings import warnings_of
from ..terminal import log, row_printer, tell
from .recorded_source import recorded_streams
from .trial import Trial

__all__ = ["try_document"]

_AT_ONCE = 4096
"""Rows that are values of Python at the same time."""


def try_document(
    project: Project,
    text: str,
    files: Sequence[str],
    *,
    source: str = "query",
    stream: str | None = None,
    form: RowFormat | None = None,
    quiet: bool = False,
) -> None:
    """Print the rows of a document's last query over recorded events, and what was wrong with these.

    Args:
        project: its streams, and the named queries that the document may read.
        text: χ-CEP.
        files: each `FILE` or `STREAM=FILE`.
        source: what the document is called in messages.
        stream: what a plain `FILE` is of.
        form: of the rows.
        quiet: rows and errors only.

    Raises:
        KaicepError: the document, a file or an option is wrong.
    """
    read = queries_read(project, text, source)
    queries = project.compile(text, source=source, outputs=read)
    if not queries:
        raise PipelineError("the document asks nothing", hint="add a query, such as SELECT … IN CONTEXT …")
    registrations = labelled(read)
    registrations += _labelled(queries, source, [registration.label for registration in registrations])
    trial = Trial(project, registrations, recorded_streams(project, files, stream))
    if not quiet:
        _introduce(project, queries)
    called = _print_rows(trial, queries[-1], project, form, quiet=quiet)
    if not quiet:
        report = report_mapping(project, trial.dataflow.profile, trial.labels[len(read) :])
        for line in (*trial.remarks(), *mapping_lines(report, project.settings.prefixes), *_called(called)):
            tell(line)


def _labelled(queries: Sequence[Query], source: str, taken: Sequence[str]) -> list[Registration]:
    """The queries with labels: their names, what they change, else their file's with its ending, which no name has."""
    file = Path(source).name if Path(source).suffix else "(unnamed)"
    several = sum(query.called is None and query.change is None for query in queries) > 1
    found: list[Registration] = []
    for position, query in enumerate(queries, 1):
        own = f"{file} {position}" if several else file
        known = [*taken, *(registration.label for registration in found)]
        found.append(
            Registration(query, query.called or (own if query.change is None else change_label(query.change, known)))
        )
    return found


def _introduce(project: Project, queries: Sequence[Query]) -> None:
    for line in (*warnings_of(project, queries), *(f"warning: {e}" for e in project.missing_actions(queries))):
        tell(line)
    if len(queries) > 1:
        name = "" if queries[-1].called is None else f", {queries[-1].called}"
        what = "the rows" if queries[-1].rule is None else "the calls"
        tell(f"these are {what} of the last of {len(queries)} queries{name}")


def _columns(query: Query) -> list[str]:
    """Of the rows of a query; of a rule those of what it calls, which nobody is handed here."""
    if query.rule is not None:
        return list(CALLS.names)
    hidden = {item.name for item in query.items if item.hidden}
    return [name for name in output_schema(query).names if name not in hidden]


def _called(called: Counter[tuple[str, str]]) -> Iterator[str]:
    """How often each rule would call which actions."""
    for rule in dict.fromkeys(rule for rule, _ in called):
        numbers = ", ".join(f"{n:,} of {action}" for (by, action), n in called.items() if by == rule)
        yield f"calls of rule {rule}: {numbers}"


def _print_rows(
    trial: Trial, query: Query, project: Project, form: RowFormat | None, *, quiet: bool
) -> Counter[tuple[str, str]]:
    """Print the rows of a query, or what a rule calls; by rule and action the number of all calls."""
    columns, called = _columns(query), Counter[tuple[str, str]]()
    console = log()
    meter = ProgressLine(console, quiet=quiet or console.is_terminal)
    bar = ProgressBar(console, "reading recorded events", trial.size, quiet=quiet)
    with row_printer(columns, form, project.settings) as printer, meter, bar:
        for result in trial.results():
            for matches in result.rows_of(trial.labels[-1]):
                for start in range(0, matches.num_rows, _AT_ONCE):
                    printer.write(rows(matches.slice(start, _AT_ONCE)))
            calls = result.calls
            called.update(zip(calls["rule"].to_pylist(), calls["action"].to_pylist(), strict=True))
            if query.rule is not None:
                printer.write([call for call in shown_calls(calls) if call["rule"] == query.rule.name])
            meter(trial.progress)
            bar(trial.taken, what=meter.line())
    return called
