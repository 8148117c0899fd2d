"""A document's text and a vocabulary go in; checked, typed queries come out, or what is wrong, with its place.

`compiler` reads a document, and of each query resolves the clauses one by one: `from_clause`, `select_items`,
`pattern_checks`, `window_checks` and `closing_clauses` with `resolution` for expressions. The result is a `Draft`,
which `query_checks` looks at as a whole, in the order of its `CHECKS`, before it becomes a `Query`.
"""

from __future__ import annotations

from .query_compiler import compile_document

__all__ = ["compile_document"]
