"""Modules → one store whose default graph holds what they say and everything that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pyoxigraph import Quad, Store, Triple

from ...errors import OntologyError
from ..consistency import check, conflicting_individuals, speaking_of
from ..modules import Module
from ..terms import shown
from . import rl
from .description_logic import Contradictory, Engine, inferred, is_consistent

Reasoner = Literal["rl", "hermit", "pellet", "none"]


@dataclass(frozen=True, slots=True)
class Closure:
    """Closed knowledge: the store, and what of it a DL reasoner inferred, which has no proof by rules."""

    store: Store
    inferred: frozenset[Triple] = frozenset()


Closing = Callable[[Sequence[Module], Reasoner, Mapping[str, str]], Closure]
"""What closes modules: `close`, or the same in another process."""


def close(modules: Sequence[Module], reasoner: Reasoner, prefixes: Mapping[str, str]) -> Closure:
    """The closed knowledge of some modules.

    `rl` is OWL 2 RL. `hermit` and `pellet` add what OWL 2 DL infers of named individuals, classes and properties, and
    close that by the same rules: a DL reasoner names only the most specific classes of an individual, and its RL
    consequences hold in DL as well. `none` takes the modules as they are and checks nothing.

    Raises:
        OntologyError: the modules contradict themselves; the message names individuals, classes and modules.
    """
    store = Store()
    for module in modules:
        store.extend(Quad(*triple) for triple in module.triples)
    if reasoner == "none":
        return Closure(store)
    rl.close(store)
    check(store, modules, prefixes)
    if reasoner == "rl":
        return Closure(store)
    by_engine = frozenset(t for t in _inferred(modules, Engine(reasoner), prefixes) if Quad(*t) not in store)
    store.extend(Quad(*triple) for triple in by_engine)
    rl.close(store)
    check(store, modules, prefixes)
    return Closure(store, by_engine)


def _inferred(modules: Sequence[Module], engine: Engine, prefixes: Mapping[str, str]) -> frozenset[Triple]:
    triples = [triple for module in modules for triple in module.triples]
    try:
        return inferred(triples, engine)
    except Contradictory as error:
        culprits = conflicting_individuals(triples, lambda some: is_consistent(some, engine))
        names = ", ".join(shown(term, prefixes) for term in culprits)
        what = f"what is said of {names} cannot all be true" if culprits else "its classes have no model"
        raise OntologyError(
            f"the knowledge contradicts itself: {what} (found by {engine})",
            hint=speaking_of(culprits, (), modules, prefixes),
        ) from error
