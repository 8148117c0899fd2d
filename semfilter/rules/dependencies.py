"""What a SPARQL group can see of an event: the properties it touches, and whether many events may share a query.

Source: paper §4.2.2, Definition 2 (query root properties). An event is the subject of its triples and never an
object, so it can be met only through the event variable, or through a subject that nothing else ties down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pyparsing import ParseResults
from rdflib import RDF, BNode, URIRef, Variable
from rdflib.plugins.sparql.algebra import translatePath, traverse
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

from ...annotator import event_prefix
from ..plan import PlanContext
from ..sparql_text import term_text

_PATTERNS = ("TriplesBlock", "OptionalGraphPattern", "GroupOrUnionGraphPattern", "Filter", "Bind", "InlineData")
_NAMES = {
    "MinusGraphPattern": "a MINUS",
    "GraphGraphPattern": "a GRAPH",
    "ServiceGraphPattern": "a SERVICE",
    "SubSelect": "a SELECT inside",
}
_EXISTS = ("Builtin_EXISTS", "Builtin_NOTEXISTS")


@dataclass(frozen=True, slots=True)
class EventDependencies:
    """What a group can see of an event.

    Attributes:
        properties: IRIs of the properties that it asks for; `None`: it may see all.
        types: whether it may see the event's classes.
        identity: why it can tell one event from another with the same values; `None`: it cannot.
        unbatchable: why its keys have to be evaluated one by one; `None`: together they give the same.
    """

    properties: frozenset[str] | None
    types: bool
    identity: str | None
    unbatchable: str | None


@dataclass(frozen=True, slots=True)
class KnowledgeDependencies:
    """Which triples of the knowledge a group can look at.

    Attributes:
        properties: IRIs of their predicates; `None`: any.
        classes: IRIs of the classes whose members it asks for; `None`: any.
    """

    properties: frozenset[str] | None
    classes: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class PredicateUse:
    """What a triple pattern has for a predicate.

    Attributes:
        iris: the properties in it.
        everything: whether it may be any property.
        inverse: whether it goes from objects to subjects, somewhere.
        zero: whether it may be a path of no length.
        text: as SPARQL writes it; `None`: it is a variable, or nobody can write it.
    """

    iris: frozenset[str]
    everything: bool = False
    inverse: bool = False
    zero: bool = False
    text: str | None = field(default=None, compare=False)

    @property
    def plain(self) -> bool:
        """Whether it is one property."""
        return len(self.iris) == 1 and not (self.everything or self.inverse or self.zero)


TriplePattern = tuple[object, PredicateUse, object]


def event_dependencies(body: str, variable: str, context: PlanContext) -> EventDependencies:
    """What a group depends on of the stream's events.

    Args:
        body: SPARQL group without braces, without prefixes.
        variable: the event variable.
        context: says which properties, classes and ids the events have.
    """
    shape = context.shape
    properties = frozenset(p.iri for p in shape.properties)
    where, event = _syntax_tree(body), Variable(variable)
    return _Analysis(where, event, properties, frozenset(shape.types), event_prefix(shape.stream)).result()


@lru_cache(maxsize=256)
def _syntax_tree(body: str) -> CompValue:
    """A group's tree; queries are compiled anew with every change of knowledge, and their text stays the same."""
    where: CompValue = parseQuery(f"SELECT * WHERE {{ {body}\n}}")[1].where
    return where


def knowledge_dependencies(body: str) -> KnowledgeDependencies:
    """What a group, without braces and prefixes, can look at."""
    where = _syntax_tree(body)
    triples = [t for n in _nodes(where) if n.name == "TriplesBlock" for t in _flattened(n.triples)]
    if any(p.everything or p.zero for _, p, _ in triples):
        return KnowledgeDependencies(None, None)
    typed = [(p, o) for _, p, o in triples if str(RDF.type) in p.iris]
    named = all(p.plain and isinstance(o, URIRef) for p, o in typed)
    properties = frozenset(iri for _, p, _ in triples for iri in p.iris)
    return KnowledgeDependencies(properties, frozenset(str(o) for _, o in typed) if named else None)


def triple_patterns(body: str, *, required: bool = False) -> list[TriplePattern]:
    """Subject, predicate and object of the triple patterns of a group, without braces and prefixes.

    Args:
        body: the group.
        required: only those that every solution has to fulfil, and that are in no group inside.
    """
    where = _syntax_tree(body)
    nodes = _parts(where) if required else _nodes(where)
    return [t for n in nodes if n.name == "TriplesBlock" for t in _flattened(n.triples)]


class _Analysis:
    """One group's syntax tree, and the questions asked of it."""

    def __init__(
        self, where: CompValue, event: Variable, properties: frozenset[str], classes: frozenset[str], prefix: str
    ) -> None:
        self.where = where
        self.event = event
        self.properties = properties
        self.classes = classes
        self.prefix = prefix
        self.blocks = [list(_flattened(n.triples)) for n in _nodes(where) if n.name == "TriplesBlock"]
        required = (t for part in _parts(where) if part.name == "TriplesBlock" for t in _flattened(part.triples))
        self.anchored = _objects(required)

    def result(self) -> EventDependencies:
        triples = [triple for block in self.blocks for triple in block]
        predicates = [p for _, p, _ in triples]
        touched = frozenset(iri for p in predicates for iri in p.iris) & self.properties
        everything = any(p.everything for p in predicates) or self._enumerates()
        identity = self._identity()
        types = everything or any(self._sees_types(p, o) for _, p, o in triples)
        return EventDependencies(None if everything else touched, types, identity, identity or self._structure())

    def _enumerates(self) -> bool:
        """Whether a path of length zero between free ends goes through all nodes, the event's values among them."""
        return any(
            p.zero and s != self.event and isinstance(s, Variable | BNode) and s not in self.anchored | _objects(block)
            for block in self.blocks
            for s, p, _ in block
        )

    def _sees_types(self, p: PredicateUse, o: object) -> bool:
        if str(RDF.type) not in p.iris:
            return False
        return not (p.plain and isinstance(o, URIRef) and str(o) not in self.classes)

    def _identity(self) -> str | None:
        """Why the group may get hold of the event itself, other than as the subject of its triples."""
        if any(isinstance(n, URIRef) and n.startswith(self.prefix) for n in _leaves(self.where)):
            return "it names an event"
        if any(self.event in _values_used(node) for node in _nodes(self.where)):
            return f"it uses ?{self.event} as a value"
        for block in self.blocks:
            anchored = self.anchored | _objects(block)
            for s, p, o in block:
                if reason := self._meets_event(s, p, o, anchored):
                    return reason
        return None

    def _meets_event(self, s: object, p: PredicateUse, o: object, anchored: set[object]) -> str | None:
        if o == self.event:
            return f"?{self.event} is an object"
        if s == self.event:
            return f"a path leads back to ?{self.event}" if p.zero or p.inverse else None
        if p.inverse and (p.everything or p.iris & self.properties):
            return "an inverse path may lead to the event"
        free = isinstance(s, Variable | BNode) and s not in anchored
        if free and (p.everything or p.zero or p.iris & self.properties or self._sees_types(p, o)):
            return f"{f'?{s}' if isinstance(s, Variable) else '[]'} may be the event, too"
        return None

    def _structure(self) -> str | None:
        """Why the event variable may not be bound where it is asked for, if several events are there."""
        for part in _parts(self.where):
            if part.name not in _PATTERNS:
                return f"it has {_NAMES.get(part.name, part.name)}"
            for inner in _inner_groups(part):
                if any(node.name == "SubSelect" for node in _nodes(inner)):
                    return f"it has {_NAMES['SubSelect']}"
                if self.event in set(_leaves(inner)) and not _simple(inner):
                    return f"?{self.event} stands in a nested group"
        return None


def _objects(triples: Iterable[tuple[object, PredicateUse, object]]) -> set[object]:
    """What a triple leads to, which is no event."""
    forward = (o for _, p, o in triples if not (p.everything or p.inverse or p.zero))
    return {o for o in forward if isinstance(o, Variable | BNode)}


def _parts(group: CompValue) -> list[CompValue]:
    """The parts of a group; a SELECT inside is its only part."""
    if group.name != "GroupGraphPatternSub":
        return [group]
    return list(group.part or [])


def _inner_groups(part: CompValue) -> Iterator[CompValue]:
    if part.name in ("OptionalGraphPattern", "GroupOrUnionGraphPattern"):
        graph = part.graph
        yield from graph if isinstance(graph, list) else [graph]
    elif part.name == "Filter":
        yield from (node.graph for node in _nodes(part) if node.name in _EXISTS)


def _simple(group: CompValue) -> bool:
    """Whether a group has triples and filters without EXISTS only."""
    return all(
        part.name == "TriplesBlock" or (part.name == "Filter" and not any(n.name in _EXISTS for n in _nodes(part)))
        for part in _parts(group)
    )


def _nodes(node: object) -> Iterator[CompValue]:
    """All nodes of a syntax tree, the node itself first."""
    if isinstance(node, CompValue):
        yield node
        for child in node.values():
            yield from _nodes(child)
    elif isinstance(node, list | tuple | ParseResults):
        for child in node:
            yield from _nodes(child)


def _leaves(node: object) -> Iterator[object]:
    """All terms in a syntax tree."""
    if isinstance(node, CompValue):
        for key, child in node.items():
            if key != "_vars":
                yield from _leaves(child)
    elif isinstance(node, list | tuple | ParseResults):
        for child in node:
            yield from _leaves(child)
    elif node is not None:
        yield node


def _flattened(blocks: object) -> Iterator[tuple[object, PredicateUse, object]]:
    for block in blocks if isinstance(blocks, Iterable) else ():
        flat = list(block)
        for s, p, o in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            yield s, _predicate(p), o


def _values_used(node: CompValue) -> set[object]:
    """What a FILTER, BIND, VALUES or SELECT clause speaks of, groups inside it left out."""
    if node.name in ("Filter", "Bind", "InlineData", "GroupClause", "OrderClause", "HavingClause"):
        return set(_leaves_outside_groups(node))
    return set(_leaves(node.get("projection"))) if node.name == "SubSelect" else set()


def _leaves_outside_groups(node: object) -> Iterator[object]:
    if isinstance(node, CompValue):
        if node.name in ("GroupGraphPatternSub", "TriplesBlock"):
            return
        for key, child in node.items():
            if key != "_vars":
                yield from _leaves_outside_groups(child)
    elif isinstance(node, list | tuple | ParseResults):
        for child in node:
            yield from _leaves_outside_groups(child)
    elif node is not None:
        yield node


def _predicate(p: object) -> PredicateUse:
    if isinstance(p, Variable):
        return PredicateUse(frozenset(), everything=True)
    names = {n.name for n in _nodes(p)}
    path = traverse(_copied(p), visitPost=translatePath) if isinstance(p, CompValue) else p  # it changes the tree
    return PredicateUse(
        frozenset(str(leaf) for leaf in _leaves(p) if isinstance(leaf, URIRef)),
        everything="PathNegatedPropertySet" in names,
        inverse=bool(names & {"PathEltOrInverse", "InversePath"}),
        zero=any(n.name == "PathElt" and str(n.get("mod") or "") in ("?", "*") for n in _nodes(p)),
        text=term_text(path),
    )


def _copied(node: object) -> object:
    if isinstance(node, CompValue):
        return CompValue(node.name, **{key: _copied(child) for key, child in node.items()})
    return [_copied(child) for child in node] if isinstance(node, list | tuple | ParseResults) else node
