"""The published ontologies that kaicep ships, by the IRIs that they declare: `ontologies/catalog.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

__all__ = ["SHIPPED", "shipped_ontologies"]

SHIPPED = Path(__file__).parents[2] / "ontologies"


@cache
def shipped_ontologies() -> Mapping[str, Path]:
    """IRI, without a last `#` or `/` → the file that declares it."""
    said = tomllib.loads((SHIPPED / "catalog.toml").read_text(encoding="utf-8"))
    return MappingProxyType({iri: SHIPPED / file for file, iris in said.items() for iri in iris})
