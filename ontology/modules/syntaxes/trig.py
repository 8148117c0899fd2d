"""TriG, which is Turtle with named graphs."""

from __future__ import annotations

from pyoxigraph import RdfFormat

from .oxigraph_syntax import OxigraphSyntax

TRIG = OxigraphSyntax(RdfFormat.TRIG, (".trig",))
