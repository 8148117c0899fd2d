"""N-Quads, a quad a line."""

from __future__ import annotations

from pyoxigraph import RdfFormat

from .oxigraph_syntax import OxigraphSyntax

N_QUADS = OxigraphSyntax(RdfFormat.N_QUADS, (".nq",))
