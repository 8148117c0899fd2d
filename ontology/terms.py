"""The IRIs of RDF, RDFS and OWL that reasoning speaks of, and how terms are shown in messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions, Store, Triple, Variable

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"

TYPE = NamedNode(RDF + "type")
ONTOLOGY = NamedNode(OWL + "Ontology")
IMPORTS = NamedNode(OWL + "imports")
VERSION_IRI = NamedNode(OWL + "versionIRI")

PREFIXES: Mapping[str, str] = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD}

Term = NamedNode | BlankNode | Literal | Triple
"""What a triple may hold (a quoted triple only as RDF 1.2 has it)."""


def shown(term: Term, prefixes: Mapping[str, str]) -> str:
    """A term as people read it: a prefixed name where a prefix fits, else `<iri>`; literals as in Turtle."""
    match term:
        case NamedNode():
            return _shown_iri(term.value, prefixes)
        case BlankNode():
            return "a blank node"
        case Literal() if term.datatype.value != XSD + "string" and term.language is None:
            return f'"{term.value}"^^{_shown_iri(term.datatype.value, PREFIXES)}'
        case Literal() | Triple():
            return str(term)
        case _:
            assert_never(term)


def local_name(iri: str) -> str:
    """What stands behind the last `#`, else `/`, else `:`."""
    for separator in "#/:":
        if separator in iri:
            return iri.rpartition(separator)[2]
    return iri


def _shown_iri(iri: str, prefixes: Mapping[str, str]) -> str:
    fitting = [(len(namespace), prefix) for prefix, namespace in prefixes.items() if iri.startswith(namespace)]
    if fitting:
        length, prefix = max(fitting)
        if (local := iri[length:]) and not set(local) & set("/#:?"):
            return f"{prefix}:{local}"
    return f"<{iri}>"


def select(store: Store, query: str, **bound: NamedNode | Literal) -> QuerySolutions:
    """The solutions of a SELECT over the store's default graph, with the prefixes of RDF, RDFS, OWL and XSD.

    Args:
        store: where to look.
        query: the SELECT.
        bound: variables that it selects, by name, and what they stand for.
    """
    substitutions: dict[Variable, Term] = {Variable(name): term for name, term in bound.items()}
    solutions = store.query(query, prefixes=dict(PREFIXES), substitutions=substitutions)
    assert isinstance(solutions, QuerySolutions)  # noqa: S101 (what SELECT gives, said to the type checker)
    return solutions
