"""Who hosts the batches of an engine: what is set, or what Spark's master says."""

from __future__ import annotations

from typing import Literal

from ...config import Settings

__all__ = ["chosen_hosting"]


def chosen_hosting(settings: Settings, master: str | None) -> Literal["driver", "executors"]:
    """Who is to host the batches of a project's engine.

    Args:
        settings: the project's.
        master: Spark's, of a session that there is; `None`: the settings'.
    """
    wanted = settings.engine.hosting
    if wanted != "auto":
        return wanted
    return "driver" if (master or settings.engine.master).startswith("local") else "executors"
