"""A document in any RDF syntax in; its triples, or the place of the first thing that is wrong, out. A syntax a file."""

from __future__ import annotations

from .json_ld import JSON_LD
from .syntax import RdfSyntax, Reading
from .syntax_table import SUFFIXES, syntax_of
from .turtle import TURTLE

__all__ = ["JSON_LD", "SUFFIXES", "TURTLE", "RdfSyntax", "Reading", "syntax_of"]
