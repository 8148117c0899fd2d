"""PATH bodies go in; what must hold of each event variable comes out, and the semantic variables that PATHs bind.

`sparql_tokens` normalises a body's text, `path` reads it as SPARQL, `path_partition` divides what speaks of several
event variables, and `path_semantics` joins the parts of all PATHs as their AND and OR say.
"""

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
