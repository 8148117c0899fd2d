"""A document's text and a vocabulary go in; checked, typed queries and sets of contexts come out, or what is wrong.

`compiler` reads a document, and of each query resolves the clauses one by one: `from_clause`, `select_items`,
`pattern_checks`, `window_checks` and `closing_clauses` with `resolution` for expressions. The result is a `Draft`,
which `query_checks` looks at as a whole, in the order of its `CHECKS`, before it becomes a `Query`.
"""

from __future__ import annotations

from .asking import asks_of_states, known_state
from .contexts import idle_contexts, known_contexts
from .query_compiler import CheckedDocument, checked_document, compile_document, declared_sets
from .rules import with_emissions

__all__ = [
    "CheckedDocument",
    "asks_of_states",
    "checked_document",
    "compile_document",
    "declared_sets",
    "idle_contexts",
    "known_contexts",
    "known_state",
    "with_emissions",
]
