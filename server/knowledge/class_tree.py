"""The classes of a project's knowledge, level by level, with how many individuals each has."""

from __future__ import annotations

from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...config import Settings
from ...ontology import select, shown
from ..problem import ProblemError
from .knowledge_terms import iri_of, label_of, named_node

__all__ = ["class_level"]

_HIDDEN = (
    "http://www.w3.org/2002/07/owl#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/1999/02/22-rdf",
)
_CLASSES = "SELECT DISTINCT ?c { { ?c a owl:Class } UNION { ?c a rdfs:Class } UNION { ?i a ?c } FILTER (ISIRI(?c)) }"
_ABOVE = "SELECT DISTINCT ?c ?p { ?c rdfs:subClassOf ?p FILTER (ISIRI(?c) && ISIRI(?p)) }"
_COUNT = "SELECT (COUNT(DISTINCT ?i) AS ?n) ?c { ?i a ?c } GROUP BY ?c"


def class_level(_: ox.Store, settings: Settings, parent: str | None) -> list[dict[str, Any]]:
    """The classes right below one.

    Args:
        settings: of the project.
        parent: IRI of a class; `None`: those that are below no other.

    Returns:
        Of each `iri`, `prefixed`, `label`, `individuals` in it and below, `direct`: those that are in no class below,
        and whether it has `subclasses`; by their names.

    Raises:
        ProblemError: 400, the parent is no IRI; 404, nobody knows it.
    """
    project = Project.of(settings)
    tree = _Tree(project)
    if parent is not None and named_node(parent).value not in tree.known:
        raise ProblemError(404, f"there is no class <{parent}>", "GET /classes lists those below no other")
    found = [tree.told(iri) for iri in tree.below(parent)]
    return sorted(found, key=lambda one: (str(one["label"] or one["prefixed"]).lower(), one["iri"]))


class _Tree:
    """The classes of a knowledge base; the closure has every class above each, of which the nearest are looked for."""

    def __init__(self, project: Project) -> None:
        self._knowledge = project.knowledge
        store = self._knowledge.store
        self.known = {c for s in select(store, _CLASSES) if not (c := iri_of(s["c"])).startswith(_HIDDEN)}
        pairs = select(store, _ABOVE)
        self._above: dict[str, set[str]] = {c: set() for c in self.known}
        for pair in pairs:
            below, above = iri_of(pair["c"]), iri_of(pair["p"])
            if below != above and below in self.known and above in self.known:
                self._above[below].add(above)
        counts = ((iri_of(s["c"]), s["n"]) for s in select(store, _COUNT))
        self._counts = {c: int(n.value) for c, n in counts if isinstance(n, ox.Literal)}

    def below(self, parent: str | None) -> list[str]:
        """The nearest classes below one; equivalent ones are beside it, not below."""
        if parent is None:
            return [c for c, above in self._above.items() if all(c in self._above[p] for p in above)]
        own = [c for c, above in self._above.items() if parent in above and c not in self._above[parent]]
        return [c for c in own if not any(o != c and o in self._above[c] and c not in self._above[o] for o in own)]

    def told(self, iri: str) -> dict[str, Any]:
        """A class as JSON."""
        node = ox.NamedNode(iri)
        below = self.below(iri)
        return {
            "iri": iri,
            "prefixed": shown(node, self._knowledge.prefixes),
            "label": label_of(self._knowledge.store, node),
            "individuals": self._counts.get(iri, 0),
            "direct": self._direct(iri, below),
            "subclasses": bool(below),
        }

    def _direct(self, iri: str, below: list[str]) -> int:
        if not below:
            return self._counts.get(iri, 0)
        store, kind = self._knowledge.store, ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
        lower = {q.subject for c in below for q in store.quads_for_pattern(None, kind, ox.NamedNode(c), None)}
        return sum(q.subject not in lower for q in store.quads_for_pattern(None, kind, ox.NamedNode(iri), None))
