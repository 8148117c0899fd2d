"""Modules → one store whose default graph holds what they say and everything that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pyoxigraph import Quad, Store

from . import rl
from .consistency import check
from .description_logic import Engine, inferred
from .modules import Module

Reasoner = Literal["rl", "hermit", "pellet", "none"]


def close(modules: Sequence[Module], reasoner: Reasoner, prefixes: Mapping[str, str]) -> Store:
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
        return store
    rl.close(store)
    check(store, modules, prefixes)
    if reasoner != "rl":
        store.extend(Quad(*triple) for triple in inferred(modules, Engine(reasoner), prefixes))
        rl.close(store)
        check(store, modules, prefixes)
    return store
