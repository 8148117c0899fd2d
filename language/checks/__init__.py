"""A syntax tree and a vocabulary in; checked, typed queries, or what is wrong with its place, out."""

from __future__ import annotations

from .compiler import compile_document
from .normal_form import expression_text, moment_text
from .pattern_checks import negated

__all__ = ["compile_document", "expression_text", "moment_text", "negated"]
