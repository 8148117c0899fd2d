"""The commands of the command line, which `cli.py` puts together: arguments in, calls of the stages, rows out."""

from __future__ import annotations

from .terminal import tell

__all__ = ["tell"]
