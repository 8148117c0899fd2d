"""OWL 2 DL by HermiT or Pellet, through owlready2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from pyoxigraph import Triple

from ..errors import OntologyError
from .modules import Module


class Engine(StrEnum):
    """A DL reasoner that owlready2 brings along."""

    HERMIT = "hermit"
    PELLET = "pellet"


def inferred(modules: Sequence[Module], engine: Engine, prefixes: Mapping[str, str]) -> list[Triple]:
    """What the engine infers."""
    raise OntologyError(f"{engine} cannot run yet {len(modules)} {len(prefixes)}")
