"""Columns of RDF terms and the texts of typed values: N-Triples and lexical forms in, values out, and back."""

from __future__ import annotations

from .lexical_form import encode, lexical_of
from .term_columns import apply, boolean, compare, moment, number, string, text, truth

__all__ = ["apply", "boolean", "compare", "encode", "lexical_of", "moment", "number", "string", "text", "truth"]
