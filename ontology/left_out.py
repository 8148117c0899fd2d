"""Statements that are taken back, and modules without them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from pyoxigraph import Literal, Quad, Store, Triple

from .modules import Module, UnreadTriples, parse_ntriples

__all__ = ["LeftOut", "is_among", "left_out_texts", "read_left_out", "without_statements"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A statement that is taken back.

    Attributes:
        triple: as a store gives it.
        sources: files of the modules that state it.
        contradictions: of those that it may take part in, the messages.
        axioms: what forbids these, each once.
    """

    triple: Triple
    sources: tuple[str, ...]
    contradictions: tuple[str, ...]
    axioms: tuple[str, ...] = ()


def without_statements(modules: Sequence[Module], left_out: Sequence[LeftOut]) -> tuple[Module, ...]:
    """The modules without some statements; one that states none of them stays itself."""
    found = []
    for module in modules:
        gone = [statement.triple for statement in left_out if module.source in statement.sources]
        found.append(_reduced(module, gone) if gone else module)
    return tuple(found)


def is_among(triples: Collection[Triple]) -> Callable[[Triple], bool]:
    """Whether a triple is, as a store gives it back, one of some: a store writes numbers its own way."""
    exact, pairs = set(triples), {(triple.subject, triple.predicate) for triple in triples}

    def test(triple: Triple) -> bool:
        if triple in exact:
            return True
        said_so = isinstance(triple.object, Literal) and (triple.subject, triple.predicate) in pairs
        return said_so and _as_stored(triple) in exact

    return test


def left_out_texts(left_out: Sequence[LeftOut]) -> list[list[object]]:
    """Statements as texts."""
    return [[f"{one.triple} .", one.sources, one.contradictions, one.axioms] for one in left_out]


def read_left_out(texts: Sequence[Sequence[object]]) -> tuple[LeftOut, ...]:
    """The statements of `left_out_texts`.

    Raises:
        SyntaxError, ValueError, TypeError: not what it gives.
    """
    return tuple(LeftOut(_triple(str(triple)), *map(_texts, of)) for triple, *of in texts)


def _reduced(module: Module, gone: Sequence[Triple]) -> Module:
    said = "\n".join([module.digest, *sorted(map(str, gone))])
    belongs = is_among(gone)

    def read() -> list[Triple]:
        return [triple for triple in module.triples if not belongs(triple)]

    unread = UnreadTriples(len(module.triples) - len(gone), read)
    return replace(module, triples=unread, digest=hashlib.sha256(said.encode()).hexdigest())


def _as_stored(triple: Triple) -> Triple:
    store = Store()
    store.add(Quad(*triple))
    (quad,) = store.quads_for_pattern(None, None, None)
    return quad.triple


def _triple(text: str) -> Triple:
    (triple,) = parse_ntriples(text.encode())
    return triple


def _texts(said: object) -> tuple[str, ...]:
    if not isinstance(said, list):
        raise TypeError(said)
    return tuple(map(str, said))
