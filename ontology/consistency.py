"""Contradictions in the closed knowledge: one small SPARQL rule for each rule of OWL 2 RL that ends in `false`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyoxigraph import Store

from .modules import Module


def check(store: Store, modules: Sequence[Module], prefixes: Mapping[str, str]) -> None:
    """Refuse contradictory knowledge."""
