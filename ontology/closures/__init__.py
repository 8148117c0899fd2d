"""A way to close modules in; one that finds what it has closed before, out."""

from __future__ import annotations

from .cache_location import CACHE_VARIABLE, cache_folder
from .closure_cache import ClosureCache

__all__ = ["CACHE_VARIABLE", "ClosureCache", "cache_folder"]
