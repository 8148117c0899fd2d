"""The demonstration: 29 days of readings of a real building through Spark, with queries that its operator would ask."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console

from ...api import Engine, Project
from ...archive.sparql import Solutions
from ...errors import PipelineError
from ...examples import robod
from ...pipeline import query_files, read_document
from ...pipeline.hosting import Signals
from ...pipeline.sinks import Sink, rows, table
from ..progress_line import ProgressLine
from .query_run import archive_behind, read, summary

__all__ = ["run_demo"]

_SHOWN = 3
_SPARQL = Path(robod.__file__).parent / "sparql"


class FirstMatches(Sink):
    """Keeps the first few matches of every query."""

    def __init__(self, limit: int) -> None:
        self.found: dict[str, list[dict[str, Any]]] = {}
        self._limit = limit

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Keep what there is room for."""
        del batch_id
        kept = self.found.setdefault(query_name, [])
        kept += rows(matches.slice(0, self._limit - len(kept)))


def run_demo(folder: Path | None, out: Console, log: Console, *, quiet: bool) -> None:
    """Write the readings, stream them at full speed, show matches, ask the archive, sum up.

    Args:
        folder: where the project is written and kept; `None`: a temporary folder.
        out: where matches, answers and the summary go.
        log: where progress goes.
        quiet: no progress.

    Raises:
        PipelineError: the folder holds an earlier demonstration, whose readings have been read.
    """
    if folder is not None and (folder / "var").exists():
        raise PipelineError(f"{folder} holds an earlier demonstration", hint="remove it, or name another folder")
    began = time.monotonic()
    with ExitStack() as stack:
        where = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kaicep-demo-")))
        _tell(log, "writing the readings of three rooms of the SDE4 building, Singapore", quiet=quiet)
        path = robod.prepare(where)
        _tell(log, "loading Brick and the model of the rooms, and closing them by OWL 2 RL", quiet=quiet)
        project = Project.load(path)
        sink = FirstMatches(_SHOWN)
        meter = ProgressLine(log, quiet=quiet)
        engine = Engine(project, sinks=[sink], on_batch=meter, on_failure=lambda _: None)  # it is raised
        _tell(log, "starting Spark", quiet=quiet)
        stack.enter_context(engine)
        comments = _submit(engine)
        with Signals() as signals, meter.watching(lambda: archive_behind(engine)):
            read(engine, signals, once=True)
            engine.finish()
            lines = summary(meter)  # now, when the lag is that of the stream
        _show_matches(out, engine, sink.found, comments)
        _tell(log, "waiting until the archive's store has taken all events", quiet=quiet)
        engine.archive.flush()
        _ask_archive(engine, out)
        out.print("\nSummary", style="bold")
        out.print("\n".join(lines), soft_wrap=True)
        out.print(f"whole demonstration in {time.monotonic() - began:,.0f} s")
        if folder is not None:
            out.print(f"the project is in {path}; ask it more: kaicep sparql QUERY --project {path}", soft_wrap=True)


def _submit(engine: Engine) -> dict[str, str]:
    """Register the queries; return by label what the file's first comment says of them."""
    told = {}
    for path in query_files(engine.project.settings):
        text = read_document(path)
        comment = " ".join(line.lstrip("# ") for line in text.split("\n#\n")[0].splitlines() if line.startswith("#"))
        told[engine.submit(text, label=path.name, collect=False).name] = comment
    return told


def _show_matches(
    out: Console, engine: Engine, found: Mapping[str, list[dict[str, Any]]], comments: Mapping[str, str]
) -> None:
    prefixes = engine.project.settings.prefixes
    for label, comment in comments.items():
        first = found.get(label, [])
        out.print(f"\n{label}: {engine.progress.matches.get(label, 0):,} matches", style="bold")
        out.print(comment)
        if first:
            out.print(table(first, first[0], prefixes=prefixes))


def _ask_archive(engine: Engine, out: Console) -> None:
    for path in sorted(_SPARQL.glob("*.rq")):
        text = read_document(path)
        began = time.monotonic()
        answer = engine.archive.query(text)
        seconds = time.monotonic() - began
        out.print(f"\n{text.splitlines()[0].lstrip('# ')}", style="bold")
        out.print(f"SPARQL over the archive, {path.name}, {seconds:.2f} s")
        if isinstance(answer, Solutions):
            out.print(table(list(answer), answer.variables, prefixes=engine.project.settings.prefixes))


def _tell(log: Console, message: str, *, quiet: bool) -> None:
    if not quiet:
        log.print(message)
