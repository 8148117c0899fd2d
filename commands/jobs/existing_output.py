"""What to do with a file of rows that is there before the engine has ever run: its rows would be written twice."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from ...config import Settings
from ...errors import PipelineError
from ...pipeline.durability import has_begun

__all__ = ["settle_existing_output"]

_BATCHES = "*/[0-9]*.parquet"


def settle_existing_output(out: str | None, settings: Settings, *, append: bool) -> None:
    """Ask on a terminal, else refuse, when rows would be written behind rows that nothing is known of.

    An engine that goes on knows where its file was and cuts off what comes again. One that begins anew reads all there
    is, and writes rows that an earlier one may have written.

    Args:
        out: file or folder that rows go to; `None` or `-`: the standard output.
        settings: of the project.
        append: write behind what is there, without a question.

    Raises:
        PipelineError: it is refused.
    """
    if out in (None, "-") or append or has_begun(settings):
        return
    found = _with_rows(Path(str(out)))
    if not found:
        return
    state = settings.path(settings.engine.state)
    problem = (
        f"{out} has rows already, and the project begins anew: its state, {state}, knows nothing of them. "
        "All sources would be read from their start, and rows written a second time"
    )
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise PipelineError(problem, hint="move it away, restore the state, or write behind its rows with --append")
    typer.echo(f"{problem}.", err=True)
    if typer.confirm("Remove what it has first?", err=True):
        for path in found:
            path.unlink()
    elif not typer.confirm("Write behind it?", err=True):
        raise PipelineError(f"{out} was left as it is", hint="name another place with --out")


def _with_rows(place: Path) -> list[Path]:
    """The files that rows stand in."""
    if place.is_dir():
        return sorted(place.glob(_BATCHES))
    return [place] if place.is_file() and place.stat().st_size else []
