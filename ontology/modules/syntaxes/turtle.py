"""Turtle."""

from __future__ import annotations

from pyoxigraph import RdfFormat

from .oxigraph_syntax import OxigraphSyntax

TURTLE = OxigraphSyntax(RdfFormat.TURTLE, (".ttl", ".turtle"))
