"""AND and OR, three-valued. Source: SPARQL 1.1 §17.2, §17.4.1.5 and §17.4.1.6."""

from __future__ import annotations

from ..column_types import truth
from ..scalar_operators import both, either
from .infix_operator import InfixOperator

__all__ = ["AND", "OR"]

AND = InfixOperator(
    "AND",
    "whether both are true; false where one is, whatever the other",
    column=lambda e, a, b: truth(a, e.left.type) & truth(b, e.right.type),
    scalar=lambda _e: both,
    python="and",
    sparql=lambda _e, a, b, _value: f"({a} && {b})",
)
OR = InfixOperator(
    "OR",
    "whether one is true; true where one is, whatever the other",
    column=lambda e, a, b: truth(a, e.left.type) | truth(b, e.right.type),
    scalar=lambda _e: either,
    python="or",
    sparql=lambda _e, a, b, _value: f"({a} || {b})",
)
