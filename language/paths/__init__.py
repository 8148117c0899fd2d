"""PATH bodies in; what their triples say of their variables, and one part per event variable, out."""

from __future__ import annotations

from .path import Body
from .path_semantics import Paths, assign_paths, join_of, read_paths, roots, semantics
from .sparql_tokens import GroupElement, SparqlToken, Tokens, group_elements, render, tokenize, variables

__all__ = [
    "Body",
    "GroupElement",
    "Paths",
    "SparqlToken",
    "Tokens",
    "assign_paths",
    "group_elements",
    "join_of",
    "read_paths",
    "render",
    "roots",
    "semantics",
    "tokenize",
    "variables",
]
