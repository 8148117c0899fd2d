"""The public API: what `import kaicep` gives beyond errors."""

from __future__ import annotations

from .engine import Engine
from .project import Project

__all__ = ["Engine", "Project"]
