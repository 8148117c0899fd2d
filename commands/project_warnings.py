"""What may be wrong with a project: names that nobody has, sources that are not there or hold nothing to read."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from ..config import Settings
from ..errors import KaicepError
from ..language.checks import idle_contexts
from ..language.nodes import Query
from ..pipeline import Catalog
from ..pipeline.sources import file_format

__all__ = ["source_warnings", "warnings_of"]

_TEXTS = ("csv", "json")
_LOOKED_AT = 20
_SHOWN = 3


def warnings_of(project: Catalog, queries: Sequence[Query], *, whole: bool = True) -> list[str]:
    """Return what a project's modules import, its annotations and queries name, and nobody has: it may come later.

    Args:
        project: the project.
        queries: its queries.
        whole: whether they are all of them; others, which are refused, may initiate contexts.
    """
    found = [*project.knowledge.warnings, *_told_of_contradictions(project)]
    found += [warning for annotator in project.annotators.values() for warning in annotator.warnings]
    found += [warning for query in queries for warning in query.warnings]
    found += idle_contexts(project.vocabulary(queries).contexts) if whole else ()
    return [f"warning: {warning}" for warning in found]


def _told_of_contradictions(project: Catalog) -> Iterator[str]:
    number, policy = len(project.knowledge.left_out), project.settings.knowledge.on_contradiction
    if number:
        are = "statements are" if number > 1 else "statement is"
        yield f"{number:,} {are} left out, since they contradict others: `kaicep check` lists them"
    if project.knowledge.contradictions and policy == "warn":
        yield "the knowledge contradicts itself, and is taken as it is: `kaicep check` lists how"


def source_warnings(settings: Settings) -> Iterator[str]:
    """Say which streams have a folder that is not there or holds nothing that can be read.

    A folder that `kaicep serve` puts posted events into is made by the first of them, and is empty when all are read.
    Only files of this machine are looked at, of a folder the first few.
    """
    for name, stream in settings.streams.items():
        source = stream.source
        if source is None or source.path is None or source.mqtt is not None:
            continue
        if urlsplit(source.path).scheme not in ("", "file"):
            continue
        path = str(settings.path(urlsplit(source.path).path))
        found = list(islice(_files(path), _LOOKED_AT))
        if not found and source.closed is not None:  # else posts fill it, and what was read leaves it
            yield f"warning: stream {name} has nothing to read: {_missing(path)}"
        elif source.format in _TEXTS:
            faults = [fault for file in found if (fault := _fault(file, settings, name))]
            yield from (f"warning: stream {name}: {fault}" for fault in faults[:_SHOWN])


def _files(path: str) -> Iterator[Path]:
    """The files of a folder or a pattern, but hidden ones, as Spark lists them."""
    places = sorted(Path(place) for place in glob.glob(path))  # noqa: PTH207 - absolute patterns
    for place in places:
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (file for file in files if file.is_file() and not file.name.startswith((".", "_")))


def _missing(path: str) -> str:
    if glob.has_magic(path):
        return f"no file matches {path}"
    if Path(path).is_dir():
        return f"the folder {path} has no file yet"
    return f"there is no folder {path}: make it, or set source.path, which starts from the folder of the project file"


def _fault(file: Path, settings: Settings, stream: str) -> str | None:
    try:
        if not file.stat().st_size:
            return f"{file} is empty"
        file_format(file, settings.streams[stream])
    except KaicepError as error:
        return str(error)
    return None
