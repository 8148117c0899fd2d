"""Scalar functions: one entry each, with its signature and all of its meanings."""

from __future__ import annotations

from .function_table import FUNCTIONS, WRITTEN_FUNCTIONS, forgives_unbound
from .scalar_function import Given, ScalarFunction

__all__ = ["FUNCTIONS", "WRITTEN_FUNCTIONS", "Given", "ScalarFunction", "forgives_unbound"]
