"""PATH bodies: read as SPARQL, and what their triples say of their variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import cast

from pyparsing import ParseException
from rdflib import RDF, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, Path, SequencePath
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Identifier, URIRef

from .. import syntax_tree as syntax
from ..name_lookup import Names
from ..nodes import StreamType, Triple, ValueFilter, ValueType
from ..source_text import Span
from .sparql_tokens import GroupElement, SparqlToken, Tokens, group_elements, render, token_at, tokenize, variables

_AROUND = "SELECT * WHERE { "
_REFUSED = {
    "SERVICE": "the query would leave the project; load that knowledge as a module",
    "GRAPH": "a PATH sees the event and the knowledge base as one graph; leave GRAPH out",
}


@dataclass(frozen=True, slots=True)
class Body:
    """A PATH body that is SPARQL.

    Attributes:
        tokens: all of it.
        elements: its parts at the top level.
        triples: the triples at its top level.
        everywhere: these and those in nested groups.
        flat: there is nothing but triples and FILTERs.
        bound: names of the variables that a solution may bind.
        opaque: those that BIND, VALUES or a subselect may bind.
        span: from brace to brace.
    """

    tokens: tuple[SparqlToken, ...]
    elements: tuple[GroupElement, ...]
    triples: tuple[Triple, ...]
    everywhere: tuple[Triple, ...]
    flat: bool
    bound: frozenset[str]
    opaque: frozenset[str]
    span: Span

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of all variables, in order of first occurrence."""
        return variables(self.tokens)


def read_body(names: Names, path: syntax.PathClause, given: Mapping[str, Tokens] = MappingProxyType({})) -> Body:
    """Check a PATH body as SPARQL.

    Args:
        names: with the prefixes.
        path: as written.
        given: by the name of a variable, the triple that binds it, which stands first wherever it is not written.

    Raises:
        QuerySyntaxError: it is no group graph pattern.
        QueryTypeError: an unknown prefix, or SPARQL that reaches beyond the event and its knowledge.
    """
    tokens = tokenize(names, path.body)
    if not tokens:
        word = "ASK" if path.asks else "PATH"
        raise names.source.type_error(path.span, f"this {word} is empty", "write triples: ?e evt:hasSource ?src")
    tokens = _with_given(tokens, given)
    for token in tokens:
        if token.kind == "word" and token.text in _REFUSED:
            raise names.source.type_error(token.span, f"{token.text} is not for a PATH", _REFUSED[token.text])
    where = _translate(names, tokens)
    parts = group_elements(tokens)
    flat = all(p.kind in ("triples", "FILTER") for p in parts) and not any(t.text == "EXISTS" for t in tokens)
    bound, opaque = frozenset(_bound(where)), frozenset(_opaque(where))
    everywhere = tuple(_triples(where, nested=True))
    triples = tuple(sorted(_triples(where, nested=False), key=_order_in(parts)))
    return Body(tokens, parts, triples, everywhere, flat, bound, opaque, path.span)


def _with_given(tokens: Tokens, given: Mapping[str, Tokens]) -> tuple[SparqlToken, ...]:
    """A body with the triples that bind its variables, each once, also where the body has been normalised before."""
    texts = [token.text for token in tokens]
    found: list[SparqlToken] = []
    for name in variables(tokens):
        triple = [token.text for token in given.get(name, ())]
        written = any(texts[start : start + len(triple)] == triple for start in range(len(texts)))
        if triple and not written:
            found += (replace(token, span=tokens[0].span) for token in given[name])
    return (*found, *tokens)


def top_triples(body: Body) -> tuple[Triple, ...]:
    """The triples of a body that stand in no group of their own, in the order in which they were written."""
    if body.flat:
        return body.triples
    parts = [element for element in body.elements if element.kind == "triples"]
    where = _algebra(" . ".join(render(part.tokens).removesuffix(".") for part in parts))
    return tuple(sorted(_triples(where, nested=False), key=_order_in(parts)))


def _order_in(parts: Sequence[GroupElement]) -> Callable[[Triple], int]:
    """Where a triple was written: rdflib sorts triples for its own evaluation."""
    written = [{token.text for token in part.tokens} for part in parts]

    def order(triple: Triple) -> int:
        terms = (triple.subject, triple.predicate, triple.object)
        texts = {term_text(term) for term in terms if isinstance(term, URIRef | Variable) and term != RDF.type}
        return next((i for i, tokens in enumerate(written) if texts <= tokens), len(written))

    return order


def _translate(names: Names, tokens: Tokens) -> CompValue:
    text = render(tokens)
    try:
        return _algebra(text)
    except ParseException as error:
        token = token_at(tokens, max(0, error.loc - len(_AROUND)))
        at_end = error.loc - len(_AROUND) >= len(text)
        message = "this PATH is not complete" if at_end else f"this PATH is no SPARQL from '{_shown(names, token)}' on"
        hint = "a PATH holds a SPARQL group graph pattern: ?e evt:hasSource ?src . FILTER (?x > 5)"
        raise names.source.syntax_error(token.span, message, hint) from error
    except RecursionError as error:
        span = Span(tokens[0].span.start, tokens[0].span.end)
        raise names.source.syntax_error(span, "this PATH is nested too deeply", "split it into PATHs") from error
    except Exception as error:  # rdflib raises plain Exceptions for what its algebra refuses
        span = Span(tokens[0].span.start, tokens[-1].span.end)
        reason = " ".join(str(error).split()) or type(error).__name__
        raise names.source.syntax_error(span, "this PATH is no SPARQL", reason) from error


def _shown(names: Names, token: SparqlToken) -> str:
    return names.source.quote(token.span)


@lru_cache(maxsize=256)
def _algebra(pattern: str) -> CompValue:
    """Rdflib's algebra of a group graph pattern, without the projection around it; only to be read.

    A pattern is parsed once however often it is asked for: a document is checked before Spark starts and again when it
    is registered, and queries about the same things have the same PATHs.
    """
    query = translateQuery(parseQuery(f"{_AROUND}{pattern} }}"))
    return cast("CompValue", query.algebra.p.p)


def value_filter(tokens: Tokens, rename: Mapping[str, str]) -> ValueFilter:
    """A FILTER from its tokens, variables renamed."""
    text = render(tokens, rename)
    expression = _algebra(f"FILTER {text}").expr
    return ValueFilter(text, frozenset(rename.get(v, v) for v in variables(tokens)), expression)


def _parts(node: CompValue) -> Iterator[CompValue]:
    """The graph patterns right below one of the algebra, subselects included."""
    for key in ("p", "p1", "p2"):
        child = node.get(key)
        if isinstance(child, CompValue):
            yield child


def _triples(node: CompValue, *, nested: bool) -> Iterator[Triple]:
    if node.name == "BGP":
        for subject, predicate, object_ in node.triples:
            yield Triple(subject, predicate, object_)
    below = _parts(node)
    if not nested:
        below = iter([p for p in below if node.name in ("Filter", "Join") or (node.name == "Extend" and p is node.p)])
        if node.name in ("LeftJoin", "Minus"):
            below = iter([node.p1])
    for part in below:
        yield from _triples(part, nested=nested)


def _bound(node: CompValue) -> Iterator[str]:
    """What a solution of the algebra may bind."""
    match node.name:
        case "BGP":
            for triple in node.triples:
                yield from (str(term) for term in triple if isinstance(term, Variable))
        case "Minus":
            yield from _bound(node.p1)
        case "Project":
            yield from (str(v) for v in node.PV)
        case "values":
            yield from (str(v) for row in node.res for v in row)
        case _:
            if node.name == "Extend":
                yield str(node.var)
            for part in _parts(node):
                yield from _bound(part)


def _opaque(node: CompValue) -> Iterator[str]:
    if node.name in ("Project", "values"):
        yield from _bound(node)
        return
    if node.name == "Extend":
        yield str(node.var)
    for part in _parts(node):
        yield from _opaque(part)


def binding_type(names: Names, body: Body, name: str, streams: Mapping[str, StreamType]) -> ValueType:
    """The type of a semantic variable, from the triples in which it stands.

    Args:
        names: with the knowledge that says what a property's values are.
        body: the PATH that binds it.
        name: the variable.
        streams: event variables and their streams; an event's own properties have its attributes' types.
    """
    if name in body.opaque:
        return ValueType.TERM
    wanted = Variable(name)
    types: set[ValueType] = set()
    for triple in body.everywhere:
        if triple.object == wanted:
            stream = streams.get(str(triple.subject)) if isinstance(triple.subject, Variable) else None
            types.add(_type_of_object(names, triple.predicate, stream))
        if triple.subject == wanted:
            types.add(_type_of_subject(names, triple.predicate))
        if triple.predicate == wanted:
            types.add(ValueType.IRI)
    return unify(types)


def unify(types: set[ValueType]) -> ValueType:
    """The one type among `types` that says something; `TERM` when there is none or they disagree."""
    known = types - {ValueType.TERM}
    return known.pop() if len(known) == 1 else ValueType.TERM


def _type_of_object(names: Names, predicate: object, stream: StreamType | None) -> ValueType:
    match predicate:
        case URIRef():
            return _type_of_property(names, str(predicate), stream)
        case SequencePath():
            return _type_of_object(names, predicate.args[-1], None)
        case InvPath():
            return ValueType.IRI
        case AlternativePath():
            types = {_type_of_object(names, option, stream) for option in predicate.args}
            return types.pop() if len(types) == 1 else ValueType.TERM
        case MulPath():
            inner = _type_of_object(names, predicate.path, stream)
            return inner if inner is ValueType.IRI or not predicate.zero else ValueType.TERM
    return ValueType.TERM


def _type_of_subject(names: Names, predicate: object) -> ValueType:
    while isinstance(predicate, SequencePath):
        predicate = predicate.args[0]
    if isinstance(predicate, InvPath):
        return _type_of_object(names, predicate.arg, None)
    return ValueType.TERM if isinstance(predicate, Path) else ValueType.IRI


def _type_of_property(names: Names, iri: str, stream: StreamType | None) -> ValueType:
    for attribute in () if stream is None else stream.attributes:
        if iri == attribute.property or iri in attribute.aliases:
            return ValueType.IRI if attribute.individual else attribute.type
    if iri == str(RDF.type):
        return ValueType.IRI
    terms = names.vocabulary.terms
    return ValueType.TERM if terms is None else terms.range_of(iri)


def names_of(triple: Triple) -> tuple[str, ...]:
    """Names of the variables of a triple."""
    return tuple(str(term) for term in (triple.subject, triple.predicate, triple.object) if isinstance(term, Variable))


def term_text(term: object) -> str:
    """A term or property path as SPARQL writes it."""
    return cast("Identifier | Path", term).n3()
