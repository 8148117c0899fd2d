"""Solutions of a subquery for the keys that have no verdict yet.

Each key gets an event node of its own, with the triples that its values give, in a private copy of the knowledge. So
values enter SPARQL as terms, and no sensor's name can become query text; the text names our own nodes only.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar
from weakref import WeakKeyDictionary, ref

import pyoxigraph as ox

from ...ontology import KnowledgeBase
from ..event_substitution import replace_variable
from ..plan import ResidualQuery
from ..sparql_text import select_text

RDF_TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
# Up to so many VALUES, Oxigraph looks each of them up; beyond, its plan gets worse than two queries.
_TOGETHER = 1000
# For fewer events, reading a large closure into memory takes longer than all that it saves.
_PAYS_OFF = 1000

Term = ox.NamedNode | ox.BlankNode | ox.Literal
Solution = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """What a key stands for.

    Attributes:
        id: the event's own IRI, when the subquery can tell events apart; else `None`.
        values: the objects of its triples, each with its properties.
    """

    id: str | None
    values: tuple[tuple[tuple[str, ...], Term], ...]


class ScratchStore:
    """A private copy of a knowledge base, in which events come and go; one for all filters over it.

    Of knowledge in files it is a copy of the files, which is there at once; a copy in memory, which answers faster,
    pays off after some events.
    """

    _copies: ClassVar[WeakKeyDictionary[KnowledgeBase, ScratchStore]] = WeakKeyDictionary()
    _making: ClassVar[Lock] = Lock()

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self.lock = Lock()
        self._knowledge = ref(knowledge)
        self._copy = knowledge.copy()
        self._asked = 0
        # Nobody can name these nodes who has not seen them.
        self.prefix = f"urn:kaicep:node:{secrets.token_hex(16)}/"

    @property
    def store(self) -> ox.Store:
        """The copy."""
        return self._copy.store

    def prepare(self, events: int) -> None:
        """Make the copy fit for some more events."""
        self._asked += events
        knowledge = self._knowledge()
        if self._asked > _PAYS_OFF and not self._copy.in_memory and knowledge is not None:
            self._copy = knowledge.copy(in_memory=True)

    @classmethod
    def of(cls, knowledge: KnowledgeBase) -> ScratchStore:
        """The copy of a knowledge base, made when it is first needed."""
        with cls._making:
            if knowledge not in cls._copies:
                cls._copies[knowledge] = cls(knowledge)
            return cls._copies[knowledge]


def single_event_query(residual: ResidualQuery, event: ox.NamedNode) -> str:
    """The query for one event, which stands in the text in the place of its variable."""
    return select_text(projection_text(residual), replace_variable(residual.body, residual.variable, str(event)))


def batch_query(residual: ResidualQuery, events: Sequence[ox.NamedNode]) -> str:
    """The query for many events at once."""
    variable, nodes = f"?{residual.variable}", " ".join(str(event) for event in events)
    return select_text(f"{variable} {projection_text(residual)}", f"VALUES {variable} {{ {nodes} }} {residual.body}")


def evaluate_events(
    residual: ResidualQuery, scratch: ScratchStore, events: Sequence[KeyEvent], *, buffer: bool = True
) -> list[list[Solution]]:
    """The distinct solutions of each event, in a stable order, as the residual query projects them.

    Args:
        residual: what is asked.
        scratch: where the events are put for as long as they are asked about.
        events: what is asked about.
        buffer: whether one query may be about several of them, as far as the residual query allows it.
    """
    with scratch.lock:
        scratch.prepare(len(events))
        if residual.unbatchable is not None or not buffer:
            return [_evaluate_one(residual, scratch, event) for event in events]
        found: list[list[Solution]] = []
        for start in range(0, len(events), _TOGETHER):
            found.extend(_evaluate_batch(residual, scratch, events[start : start + _TOGETHER]))
        return found


def _evaluate_one(residual: ResidualQuery, scratch: ScratchStore, event: KeyEvent) -> list[Solution]:
    node = ox.NamedNode(event.id or f"{scratch.prefix}0")
    with _TemporaryQuads(scratch.store, _triples(residual, node, event)):
        width = len(residual.solution)
        solutions = scratch.store.query(single_event_query(residual, node))
        return distinct_solutions(row[:width] for row in query_solutions(solutions))


def _evaluate_batch(
    residual: ResidualQuery, scratch: ScratchStore, events: Sequence[KeyEvent]
) -> Iterator[list[Solution]]:
    nodes = [ox.NamedNode(f"{scratch.prefix}{i}") for i in range(len(events))]
    triples = (t for node, event in zip(nodes, events, strict=True) for t in _triples(residual, node, event))
    found: dict[str, list[Solution]] = {str(node): [] for node in nodes}
    with _TemporaryQuads(scratch.store, triples):
        for row in query_solutions(scratch.store.query(batch_query(residual, nodes))):
            node, *solution = row
            found[str(node)].append(tuple(solution))
    return (distinct_solutions(solutions) for solutions in found.values())


class _TemporaryQuads:
    """Puts triples into a store for a while; what was there before stays."""

    def __init__(self, store: ox.Store, triples: Iterable[ox.Quad]) -> None:
        self.store = store
        self.added = [triple for triple in dict.fromkeys(triples) if triple not in store]

    def __enter__(self) -> None:
        self.store.extend(self.added)

    def __exit__(self, *_: object) -> None:
        for triple in self.added:
            self.store.remove(triple)


def _triples(residual: ResidualQuery, node: ox.NamedNode, event: KeyEvent) -> Iterator[ox.Quad]:
    for properties, term in event.values:
        for iri in properties:
            yield ox.Quad(node, ox.NamedNode(iri), term)
    for iri in residual.classes:
        yield ox.Quad(node, RDF_TYPE, ox.NamedNode(iri))


def projection_text(residual: ResidualQuery) -> str:
    """What a query selects, as SPARQL writes it."""
    return " ".join(f"?{name}" for name, _ in residual.solution)


def query_solutions(result: object) -> Iterator[tuple[Term | None, ...]]:
    """The solutions of a SELECT."""
    if not isinstance(result, ox.QuerySolutions):
        raise TypeError(type(result))
    for solution in result:
        yield tuple(solution)


def distinct_solutions(solutions: Iterable[Solution]) -> list[Solution]:
    """Each solution once, in a stable order."""
    distinct = list(dict.fromkeys(solutions))
    return distinct if len(distinct) < 2 else sorted(distinct, key=lambda solution: tuple(map(str, solution)))
