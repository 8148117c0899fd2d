"""Every syntax, found by the name of a file."""

from __future__ import annotations

from pathlib import Path

from ....errors import OntologyError, Place
from ....storage import uncompressed_name
from .json_ld import JSON_LD
from .n_quads import N_QUADS
from .n_triples import N_TRIPLES
from .owl_xml import OWL_XML
from .rdf_xml import RDF_XML
from .syntax import RdfSyntax
from .trig import TRIG
from .turtle import TURTLE

SYNTAXES: tuple[RdfSyntax, ...] = (TURTLE, N_TRIPLES, N_QUADS, TRIG, JSON_LD, RDF_XML, OWL_XML)
SUFFIXES = tuple(dict.fromkeys(suffix for syntax in SYNTAXES for suffix in syntax.suffixes))


def syntax_of(name: str, text: str) -> RdfSyntax:
    """The syntax of a document by its file name, and by its text where several share the suffix; in doubt Turtle.

    Raises:
        OntologyError: a suffix that no RDF syntax has.
    """
    suffix = Path(uncompressed_name(name)).suffix.lower()
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise OntologyError(f"no RDF syntax has the suffix '{suffix}'", place=Place(name), hint=f"use one of {known}")
    fitting = (syntax for syntax in SYNTAXES if suffix in syntax.suffixes and syntax.recognises(text))
    return next(fitting, TURTLE)
