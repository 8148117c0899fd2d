"""Nodes of the syntax tree, each with its place in the text; names, and variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..source_text import Span

__all__ = ["Iri", "Name", "Node", "PrefixedName", "Reference", "Variable", "walk"]


@dataclass(frozen=True, slots=True)
class Node:
    """Anything that a text says, with its place."""

    span: Span = field(kw_only=True)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, outermost first."""
    yield node
    for name in node.__slots__:
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, Node):
                yield from walk(child)


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A plain name: of an attribute, a stream, a query, an item, a function."""

    text: str


@dataclass(frozen=True, slots=True)
class PrefixedName(Node):
    """`prefix:local`, escapes already resolved."""

    prefix: str
    local: str


@dataclass(frozen=True, slots=True)
class Iri(Node):
    """`<iri>`."""

    text: str


Reference = PrefixedName | Iri


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`?name`: of an event, or semantic; the text alone does not say."""

    name: str
