"""Who hosts the batches of an engine: what is set, and what executors do not do yet, with the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from ...archive import has_intake
from ...config import Settings
from ...errors import PipelineError

__all__ = ["chosen_hosting"]

_DRIVER = 'set hosting = "driver" under [engine]'


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
    if settings.archive.enabled and has_intake(settings.path(settings.archive.path)):
        yield PipelineError("`kaicep archive` has kept events of the project, which the driver takes", hint=_DRIVER)
