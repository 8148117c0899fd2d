"""Expressions as written and what they may speak of go in; typed expressions come out, with their units agreed."""

from __future__ import annotations

from .changes_of_values import NEW, OLD
from .name_resolution import condition, resolve
from .scope import Beside, Scope, WindowVariable, check_length
from .type_rules import common, spoken
from .unit_agreement import unit_of
from .window_attributes import beside

__all__ = [
    "NEW",
    "OLD",
    "Beside",
    "Scope",
    "WindowVariable",
    "beside",
    "check_length",
    "common",
    "condition",
    "resolve",
    "spoken",
    "unit_of",
]
