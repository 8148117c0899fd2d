"""What a shell offers when somebody types Tab: projects, files of queries, streams, submitted queries.

Nothing here loads a stage that takes long: who waits for it has a finger on the key. Where nothing fits, shells offer
files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ..config import Settings

__all__ = ["project_paths", "query_files", "stream_names", "submitted_names"]

_PROJECT_FILE = "kaicep.toml"


def project_paths(incomplete: str) -> list[str]:
    """The folders that hold a project, here and one below."""
    return [str(path.parent) for path in _below(incomplete, _PROJECT_FILE)]


def query_files(incomplete: str) -> list[str]:
    """The files of queries, here and one below."""
    return [str(path) for path in _below(incomplete, "*.chi")]


def stream_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """The streams of the project that the command line names, else of that in this folder."""
    settings = _settings(ctx)
    return [name for name in ([] if settings is None else settings.streams) if name.startswith(incomplete)]


def submitted_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """The queries that were submitted to that project."""
    settings = _settings(ctx)
    if settings is None:
        return []
    # As pipeline/control/submitted_queries.py keeps them; to load that takes a second.
    from ..storage import mirrored_files

    folder = settings.path(settings.engine.state) / "queries" / "documents"
    files = mirrored_files(folder, "*.json")
    return [name for path in files for name in _queries(path) if name.startswith(incomplete)]


def _below(incomplete: str, pattern: str) -> list[Path]:
    """The files of a pattern in the folder that is being typed and in its folders, whose names begin that way."""
    folder, begun = Path(incomplete).parent, Path(incomplete).name
    if incomplete.endswith("/"):
        folder, begun = Path(incomplete), ""
    found = [*folder.glob(pattern), *folder.glob(f"*/{pattern}")]
    return sorted(path for path in found if path.relative_to(folder).parts[0].startswith(begun))


def _settings(ctx: typer.Context) -> Settings | None:
    from ..config import Settings
    from ..errors import KaicepError

    # Behind an option that lacks its value, click leaves the arguments as they were written.
    arguments = [parameter.name for parameter in ctx.command.params if parameter.param_type_name == "argument"]
    written = dict(zip(arguments, ctx.args, strict=False))
    try:
        named = [of.get(name) for of in (ctx.params, written) for name in ("project", "folder")]
        return Settings.load(next(filter(None, named), Path()))
    except KaicepError:
        return None


def _queries(path: Path) -> Iterator[str]:
    from ..storage import read_mirrored

    try:
        yield from json.loads(read_mirrored(path))["queries"]
    except (OSError, ValueError, KeyError, TypeError):
        return
