"""χ-CEP text and a vocabulary go in; checked, typed queries come out, or an error with its place and the way out.

    text ─ syntax/ ─► syntax_tree ─ paths/, checks/ ─► nodes/

What a clause is stands in few places. `LIMIT`, say, is

1. a rule and its keywords in `syntax/grammar.lark` (messages about what was expected follow by themselves),
2. a node and a field of `SelectQuery` in `syntax_tree/`, made by a method of `syntax/tree_builder.py` of the rule's
   name,
3. a field of `Query` in `nodes/query.py`, and its text in `nodes/normal_form.py`,
4. `resolve_…` and `check_…` in `checks/closing_clauses.py`, which `checks/compiler.py` and the tuple `CHECKS` of
   `checks/query_checks.py` name.
"""

from __future__ import annotations

from .literals import duration_text, moment_text, parse_duration, parse_moment, quote
from .name_lookup import Names
from .source_text import SourceText, Span
from .syntax_tree import Prefix, Statement

__all__ = [
    "Names",
    "Prefix",
    "SourceText",
    "Span",
    "Statement",
    "duration_text",
    "moment_text",
    "parse_duration",
    "parse_moment",
    "quote",
]
