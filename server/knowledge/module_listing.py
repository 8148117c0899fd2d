"""The ontology modules of a project: what each says and imports, and where they contradict each other."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...errors import OntologyError

__all__ = ["listed_ontologies"]


def listed_ontologies(_: ox.Store, settings: Settings) -> dict[str, Any]:
    """The modules in force.

    Returns:
        `modules`: of each `name`, `iri` (null: it declares none), `triples`, `imports`, and whether it is `imported`;
        `triples` of the closure; `contradictions` and `warnings` in words.
    """
    try:
        knowledge = Project.of(settings).knowledge
    except OntologyError as error:
        return {"modules": [], "triples": 0, "contradictions": [str(error)], "warnings": []}
    return {
        "modules": [
            {
                "name": module.source,
                "iri": min(module.declares, default=None),
                "triples": len(module.triples),
                "imports": list(module.imports),
                "imported": module.imported,
            }
            for module in knowledge.modules
        ],
        "triples": len(knowledge.store),
        "contradictions": [str(one) for one in knowledge.contradictions],
        "warnings": list(knowledge.warnings),
    }
