"""PATH bodies in; what their triples say of their variables, and one part per event variable, out."""

from __future__ import annotations

from .path import Body
from .path_semantics import Paths, assign_paths, join_of, read_paths, roots, semantics
from .sparql_tokens import SparqlToken, Statement, Tokens, render, statements, tokenize, variables

__all__ = [
    "Body",
    "Paths",
    "SparqlToken",
    "Statement",
    "Tokens",
    "assign_paths",
    "join_of",
    "read_paths",
    "render",
    "roots",
    "semantics",
    "statements",
    "tokenize",
    "variables",
]
