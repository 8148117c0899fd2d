"""What rules state: SPARQL updates of the module `rules`, which knows of each of its triples which rule stated it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyoxigraph import DefaultGraph, Quad, Store, Triple

from ...errors import OntologyError
from .module import RULES, Module, nquads

__all__ = ["RuleStatement", "check_update", "updated_rules"]


@dataclass(frozen=True, slots=True)
class RuleStatement:
    """An update that a rule asks for.

    Attributes:
        rule: its name.
        key: tells this update from all others.
        update: SPARQL; its default graph is the module.
    """

    rule: str
    key: str
    update: str


def check_update(text: str) -> None:
    """See whether a text is a SPARQL update.

    Raises:
        OntologyError: it is none.
    """
    _apply(Store(), text)


def updated_rules(modules: Sequence[Module], statements: Iterable[RuleStatement]) -> Module | None:
    """The module `rules` behind updates; `None`: it says what it has said before.

    Args:
        modules: in force; `rules` is among them once a rule has stated something.
        statements: in order.

    Raises:
        OntologyError: an update is none, or writes to another graph than the module.
    """
    before = next((module for module in modules if module.source == RULES), None)
    store, origins = Store(), {} if before is None else dict(before.origins)
    store.extend(Quad(*triple) for triple in (() if before is None else before.triples))
    known = _content(store)
    first = known
    for statement in statements:
        _apply(store, statement.update)
        now = _content(store)
        origins |= dict.fromkeys(now - known, statement.rule)
        known = now
    return None if known == first else _module({triple: origins[triple] for triple in known})


def _apply(store: Store, text: str) -> None:
    try:
        store.update(text)
    except (SyntaxError, OSError, ValueError) as error:
        said = str(error).partition("\n")[0]
        raise OntologyError(f"the update of the module '{RULES}' cannot be done: {said}") from error
    if any(True for _ in store.named_graphs()):
        raise OntologyError(
            f"the update writes to a named graph; what rules state is the module '{RULES}'", hint="leave GRAPH out"
        )


def _content(store: Store) -> frozenset[Triple]:
    return frozenset(quad.triple for quad in store.quads_for_pattern(None, None, None, DefaultGraph()))


def _module(origins: Mapping[Triple, str]) -> Module:
    """In the order of the texts, so that what says the same has one digest."""
    ordered = sorted(origins, key=str)
    said = {triple: origins[triple] for triple in ordered}
    module = Module(RULES, ordered, "", frozenset(), (), origins=said)
    return replace(module, digest=hashlib.sha256(nquads(module)).hexdigest())
