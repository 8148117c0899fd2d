"""χ-CEP text and a vocabulary go in; checked, typed queries come out, or an error with its place and the way out."""

from __future__ import annotations

from .name_lookup import Names

__all__ = ["Names"]
