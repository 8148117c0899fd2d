"""N-Triples, a triple a line."""

from __future__ import annotations

from pyoxigraph import RdfFormat

from .oxigraph_syntax import OxigraphSyntax

N_TRIPLES = OxigraphSyntax(RdfFormat.N_TRIPLES, (".nt",))
