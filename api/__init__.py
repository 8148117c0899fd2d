"""The public API: what `import kaicep` gives beyond errors."""

from __future__ import annotations

from .project import Project

__all__ = ["Project"]
