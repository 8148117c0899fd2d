"""Infix operators: one entry each, with all of its meanings."""

from __future__ import annotations

from .comparison import equal_columns
from .infix_operator import InfixOperator, Reference
from .operator_table import OPERATORS

__all__ = ["OPERATORS", "InfixOperator", "Reference", "equal_columns"]
