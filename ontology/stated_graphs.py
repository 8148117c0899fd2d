"""What modules state, each in a graph of its own: who says what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import NamedNode, Quad, Store, Triple

from .modules import Module

__all__ = ["modules_that_state", "store_statements"]

_MODULE = "urn:kaicep:module:"


def store_statements(modules: Sequence[Module], store: Store) -> Store:
    """Fill a store with what modules state, the first in graph 0 and so on; returns the store."""
    for number, module in enumerate(modules):
        graph = NamedNode(f"{_MODULE}{number}")
        store.bulk_extend(Quad(t.subject, t.predicate, t.object, graph) for t in module.triples)
    return store


def modules_that_state(store: Store, triple: Triple) -> Iterator[int]:
    """The places of the modules that state a triple, in order."""
    found = store.quads_for_pattern(triple.subject, triple.predicate, triple.object, None)
    graphs = (quad.graph_name for quad in found)
    yield from sorted(int(graph.value.removeprefix(_MODULE)) for graph in graphs if isinstance(graph, NamedNode))
