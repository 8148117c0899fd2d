"""Where closures are kept: as the environment says, else as the project file says, else in the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path

from ...config import Settings

__all__ = ["CACHE_VARIABLE", "cache_folder"]

CACHE_VARIABLE = "KAICEP_CACHE"
_NEVER = "never"


def cache_folder(settings: Settings) -> Path | None:
    """The folder of a project's kept closures; `None`: nothing is kept."""
    said = os.environ.get(CACHE_VARIABLE) or settings.knowledge.cache
    if said == _NEVER:
        return None
    return user_cache_path("kaicep") if said is None else settings.path(said).expanduser()
