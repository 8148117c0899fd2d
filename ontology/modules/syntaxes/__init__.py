"""A document in any RDF syntax in; its triples, or the place of the first thing that is wrong, out. A syntax a file."""

from __future__ import annotations

from .syntax import RdfSyntax
from .syntax_table import SUFFIXES, syntax_of
from .turtle import TURTLE

__all__ = ["SUFFIXES", "TURTLE", "RdfSyntax", "syntax_of"]
