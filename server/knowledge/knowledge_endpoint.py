"""`/ontologies`, `/classes`, `/individuals` and `/matches/{id}/why`: what is known, and why rows came."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from ...api.remote import RemoteClass, RemoteIndividual, RemoteNeighbourhood, RemoteOntologies, RemoteReasons
from ..access import may
from ..problem_document import PROBLEM_RESPONSES, answers
from ..queries import ProjectProcesses, QueryCatalog
from ..request_parameters import (
    IndividualClass,
    IndividualIri,
    IndividualLimit,
    IndividualText,
    MatchId,
    MatchQuery,
    ParentClass,
)
from .class_tree import class_level
from .individual_search import found_individuals, one_individual
from .match_reasons import reasons_of_match
from .module_listing import listed_ontologies

__all__ = ["knowledge_routes"]

_MODULES = {
    "modules": [{"name": "rooms.ttl", "iri": "urn:ex:rooms", "triples": 120, "imports": [], "imported": False}],
    "triples": 240,
    "contradictions": [],
    "warnings": [],
}
_CLASS = {
    "iri": "urn:ex:Room",
    "prefixed": "ex:Room",
    "label": "room",
    "individuals": 3,
    "direct": 1,
    "subclasses": True,
}
_SUMMARY = {"iri": "urn:ex:r1", "prefixed": "ex:r1", "label": "room 1", "classes": ["urn:ex:Room"]}
_INDIVIDUAL = {
    **_SUMMARY,
    "triples": [
        {"property": "urn:ex:in", "value": "urn:ex:building", "label": "building", "incoming": False, "iri": True}
    ],
}
_WHY = {
    "match": {"flow": 60.5, "_time": "2026-01-01T00:00:02Z", "_events": {"e": ["urn:ex:1"]}, "_id": 32 * "0"},
    "events": [
        {
            "id": "urn:ex:1",
            "stream": "air",
            "time": "2026-01-01T00:00:02Z",
            "attributes": {"flow": 60.5},
            "variable": "e",
        }
    ],
    "reasons": [],
    "contexts": None,
    "notes": [],
}


def knowledge_routes(processes: ProjectProcesses, catalog: QueryCatalog) -> APIRouter:
    """The routes of knowledge.

    Args:
        processes: that load the project.
        catalog: of the registered queries.
    """
    routes = APIRouter(tags=["knowledge"])

    @routes.get(
        "/ontologies",
        summary="List the ontology modules",
        dependencies=[may("read")],
        response_model=RemoteOntologies,
        responses=answers(200, "The modules, and what is wrong with them.", _MODULES),
    )
    def ontologies() -> dict[str, Any]:
        """What each says and imports, what follows, and where they contradict each other. `/graphs` changes them."""
        return processes.ask(listed_ontologies)

    @routes.get(
        "/classes",
        summary="A level of classes",
        dependencies=[may("read")],
        response_model=list[RemoteClass],
        responses=answers(200, "The classes.", [_CLASS]),
    )
    def classes(parent: ParentClass = None) -> list[dict[str, Any]]:
        """Those right below the parent, else those below no other; with how many individuals they have."""
        return processes.ask(class_level, parent)

    @routes.get(
        "/individuals",
        summary="Individuals, or one",
        dependencies=[may("read")],
        response_model=list[RemoteIndividual] | RemoteNeighbourhood,
        responses={
            200: {
                "description": "Those that were found; or the one, with its triples.",
                "content": {
                    "application/json": {
                        "examples": {"found": {"value": [_SUMMARY]}, "one": {"value": _INDIVIDUAL}},
                        "example": [_SUMMARY],
                    }
                },
            },
            **PROBLEM_RESPONSES,
        },
    )
    def individuals(
        search: IndividualText = None,
        of_class: IndividualClass = None,
        iri: IndividualIri = None,
        limit: IndividualLimit = 50,
    ) -> list[dict[str, Any]] | dict[str, Any]:
        """By a text in label or IRI, by class; or that of an IRI, with what is linked to it."""
        if iri is not None:
            return processes.ask(one_individual, iri)
        return processes.ask(found_individuals, search, of_class, limit)

    @routes.get(
        "/matches/{id}/why",
        summary="Why there is a row",
        dependencies=[may("read")],
        response_model=RemoteReasons,
        responses=answers(200, "The row, its events, and the reasons.", _WHY),
    )
    def why(id: MatchId, query: MatchQuery) -> dict[str, Any]:  # noqa: A002 - so the address calls it
        """Its events, which clauses held of each, down to axioms and files; and the contexts that it lies in."""
        catalog.query(query)
        return processes.ask(reasons_of_match, query, id)

    return routes
