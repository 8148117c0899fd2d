"""The public API: what `import kaicep` gives beyond errors."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .project import Project

if TYPE_CHECKING:
    from .engine import Engine

__all__ = ["Engine", "Project"]


def __getattr__(name: str) -> object:
    """`Engine`, which loads Spark, on first use: what is asked of a project alone needs none of it."""
    if name == "Engine":
        return import_module(".engine", __name__).Engine
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
