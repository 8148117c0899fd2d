"""The public API: what `import kaicep` gives beyond errors."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine import Engine
    from .project import Project
    from .remote import Client

_LATER = {"Client": ".remote", "Engine": ".engine", "Project": ".project"}

__all__ = ["Client", "Engine", "Project"]


def __getattr__(name: str) -> object:
    """Each on first use: `Engine` loads Spark, `Project` what reasons, and a client needs none of that."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
