"""What modules state, each in a graph of its own: who says what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pyoxigraph import Literal, NamedNode, Quad, Store, Triple

from .modules import Module
from .terms import Term

__all__ = ["modules_that_mention", "modules_that_state", "store_statements"]

_MODULE = "urn:kaicep:module:"


def store_statements(modules: Sequence[Module], store: Store) -> Store:
    """Fill a store with what modules state, the first in graph 0 and so on; returns the store."""
    for number, module in enumerate(modules):
        graph = NamedNode(f"{_MODULE}{number}")
        store.bulk_extend(Quad(t.subject, t.predicate, t.object, graph) for t in module.triples)
    return store


def modules_that_state(store: Store, triple: Triple) -> Iterator[int]:
    """The places of the modules that state a triple, in order."""
    yield from _numbers(store.quads_for_pattern(triple.subject, triple.predicate, triple.object, None))


def modules_that_mention(store: Store, term: Term) -> Iterator[int]:
    """The places of the modules that say something of a term, in order."""
    of_it = () if isinstance(term, Literal) else store.quads_for_pattern(term, None, None, None)
    yield from _numbers(chain(of_it, store.quads_for_pattern(None, None, term, None)))


def _numbers(quads: Iterable[Quad]) -> list[int]:
    graphs = {quad.graph_name for quad in quads}
    return sorted(int(graph.value.removeprefix(_MODULE)) for graph in graphs if isinstance(graph, NamedNode))
