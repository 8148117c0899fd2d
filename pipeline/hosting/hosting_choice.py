"""Who hosts the batches of an engine: what is set, and what executors do not do yet, with the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import urlsplit

from ...archive import has_intake
from ...config import Settings
from ...errors import PipelineError
from ...settings import GIVEN
from ..sources import is_object_source, source_streams

__all__ = ["chosen_hosting"]

_DRIVER = 'set hosting = "driver" under [engine]'
_READ_BY_SPARK = frozenset({"lineSep", "wholetext"})
"""Options that say how Spark, and it alone, finds the records of a text."""


def chosen_hosting(
    settings: Settings, master: str | None, say: Callable[[str], None]
) -> Literal["driver", "executors"]:
    """Who is to host the batches of a project's engine.

    Args:
        settings: the project's.
        master: Spark's, of a session that there is; `None`: the settings'.
        say: takes a line where `auto` takes the driver though there are executors.

    Raises:
        PipelineError: the executors are set, and cannot.
    """
    wanted = settings.engine.hosting
    if wanted == "driver" or (wanted == "auto" and (master or settings.engine.master).startswith("local")):
        return "driver"
    obstacle = next(_obstacles(settings), None)
    if obstacle is None:
        return "executors"
    if wanted == "executors":
        raise obstacle
    say(f"hosting: the driver answers, since {obstacle.message}")
    return "driver"


def _obstacles(settings: Settings) -> Iterator[PipelineError]:
    """What keeps executors from hosting a project."""
    for name, source in source_streams(settings).items():
        why = None if source.reads_files else "is read by Spark alone"
        reason = why or _of_source(settings, name)
        if reason is not None:
            yield PipelineError(f"streams.{name}.source {reason}", hint=_DRIVER)
    if settings.archive.enabled and has_intake(settings.path(settings.archive.path)):
        yield PipelineError("`kaicep archive` has kept events of the project, which the driver takes", hint=_DRIVER)


def _of_source(settings: Settings, name: str) -> str | None:
    """What of a source executors do not do."""
    source = settings.streams[name].source
    if source is None:
        return None
    if source.format == GIVEN:
        return "is a DataFrame"
    if source.order == "time":
        return 'is ordered by time (order = "time")'
    if source.path is not None and not is_object_source(source) and urlsplit(source.path).scheme not in {"", "file"}:
        return "is no folder that this machine reaches"
    options = _READ_BY_SPARK & source.options().keys()
    return f"has the option {min(options)}" if options else None
