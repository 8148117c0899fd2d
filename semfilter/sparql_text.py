"""rdflib's terms and property paths as SPARQL text."""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph as ox
from rdflib import BNode, Literal, URIRef, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, Path, SequencePath

from ..language.nodes import Triple, ValueFilter


def term_text(term: object) -> str | None:
    """SPARQL text of a term or property path; a blank node is a variable of its own.

    Returns `None` for what rdflib itself has no form for (an inverse member of a negated property set).
    """
    match term:
        case Variable():
            return f"?{term}"
        case BNode():
            return f"?blank_{term}"
        case URIRef():
            return str(ox.NamedNode(str(term)))
        case Literal():
            return str(literal(term))
        case Path():
            return _path_text(term)
        case _:
            return None


def literal(term: Literal) -> ox.Literal:
    """The same literal for Oxigraph."""
    if term.language:
        return ox.Literal(str(term), language=term.language)
    return ox.Literal(str(term), datatype=ox.NamedNode(str(term.datatype))) if term.datatype else ox.Literal(str(term))


def triple_text(triple: Triple) -> str | None:
    """SPARQL text of a triple pattern, `None` when a part of it has none."""
    parts = [term_text(part) for part in (triple.subject, triple.predicate, triple.object)]
    return None if None in parts else " ".join(part for part in parts if part is not None)


def group_text(triples: Sequence[Triple], filters: Sequence[ValueFilter]) -> str:
    """SPARQL text of triples and filters that all have one."""
    texts = [triple_text(triple) for triple in triples]
    return " ".join([f"{text} ." for text in texts] + [f"FILTER ({f.text})" for f in filters])


def select_text(projection: str, group: str) -> str:
    """The query for the distinct solutions of a group.

    Args:
        projection: what is selected; empty: only whether there is a solution.
        group: without braces; text of the user's query and of terms that Oxigraph wrote, never pasted values.
    """
    return f"SELECT DISTINCT {projection or '(1 AS ?kaicep_holds)'} {{ {group}\n}}"


def solutions_text(group: str) -> str:
    """The query for all solutions of a group, each as often as it is one.

    Args:
        group: as `select_text` takes it.
    """
    return f"SELECT * {{ {group} }}"


def count_text(group: str) -> str:
    """The query for the number `?n` of a group's solutions.

    Args:
        group: as `select_text` takes it.
    """
    return f"SELECT (COUNT(*) AS ?n) {{ {group} }}"


def most_text(group: str, per: str) -> str:
    """The query for the number `?n` of solutions that a group has for one value of a variable, at the most.

    Args:
        group: as `select_text` takes it.
        per: the variable's name.
    """
    return f"SELECT (MAX(?m) AS ?n) {{ SELECT (COUNT(*) AS ?m) {{ {group} }} GROUP BY ?{per} }}"


def _path_text(path: Path) -> str | None:
    match path:
        case InvPath():
            return _joined("^", [path.arg], "")
        case SequencePath():
            return _joined("", path.args, "/")
        case AlternativePath():
            return _joined("", path.args, "|")
        case MulPath():
            return None if (inner := term_text(path.path)) is None else f"({inner}){path.mod}"
        case NegatedPath():
            return _joined("!", path.args, "|")
        case _:
            return None


def _joined(before: str, parts: Sequence[object], separator: str) -> str | None:
    texts = [term_text(part) for part in parts]
    return None if None in texts else f"{before}({separator.join(text for text in texts if text is not None)})"
