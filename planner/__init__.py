"""The planner: a query and the moment of its registration go in; what is asked of past, present and seam comes out."""

from .explain import explain
from .within import Range, bounds_in_words, resolve_bounds

__all__ = ["Range", "bounds_in_words", "explain", "resolve_bounds"]
