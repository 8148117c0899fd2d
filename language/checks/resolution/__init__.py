"""Expressions as written and what they may speak of go in; typed expressions come out, with their units agreed."""

from __future__ import annotations

from .name_resolution import condition, resolve
from .scope import Scope, check_length
from .unit_agreement import unit_of

__all__ = ["Scope", "check_length", "condition", "resolve", "unit_of"]
