"""The SPARQL Protocol over HTTP: GET, POST of forms, POST of queries and updates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from ...config import Settings
from ..access import AccessControl, may
from ..problem import ProblemError
from ..problem_document import PROBLEM_RESPONSES
from ..request_body import read_body
from .answer_examples import graph_examples, result_examples
from .media_types import GRAPH_TYPES, RESULT_TYPES, accepted, with_charset
from .protocol_request import ProtocolRequest, fields_of, of_body, of_url
from .service_description import service_description
from .sparql_answer import Document, SparqlQuestion
from .sparql_dataset import SparqlDataset
from .sparql_update import SparqlUpdate

__all__ = ["DeferredAnswer", "sparql_routes"]

_QUERY = "SELECT ?class (COUNT(*) AS ?n) { ?s a ?class } GROUP BY ?class ORDER BY DESC(?n) LIMIT 10"
_UPDATE = 'INSERT DATA { <urn:ex:s1> <http://www.w3.org/2000/01/rdf-schema#label> "sensor 1" . }'
_RESULTS, _TRIPLES = result_examples(), graph_examples()


@dataclass(frozen=True, slots=True)
class DeferredAnswer:
    """How whoever does not want to wait is answered.

    Attributes:
        begin: given a request and its question; the answer that is due at once, `None`: whoever asks wants to wait.
        parameters: of such requests, as OpenAPI describes them.
        responses: likewise.
    """

    begin: Callable[[Request, SparqlQuestion], Response | None] = lambda _request, _question: None
    parameters: Sequence[Mapping[str, Any]] = ()
    responses: Mapping[int | str, dict[str, Any]] = field(default_factory=dict)


_AT_ONCE = DeferredAnswer()


def _parameter(name: str, text: str, example: object) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if isinstance(example, list):
        schema = {"type": "array", "items": {"type": "string", "format": "iri"}}
    return {"name": name, "in": "query", "description": text, "schema": schema, "example": example}


def _text(example: str) -> dict[str, Any]:
    return {"schema": {"type": "string"}, "example": example}


_GRAPHS = [
    _parameter("default-graph-uri", "Graphs whose union is the default graph.", ["urn:kaicep:graph:knowledge"]),
    _parameter("named-graph-uri", "Graphs that GRAPH finds.", ["urn:kaicep:graph:knowledge"]),
]
_GET = [_parameter("query", "SPARQL; without it, the endpoint describes itself.", _QUERY), *_GRAPHS]
_FORM = {
    "schema": {"type": "object", "properties": {"query": {"type": "string"}, "update": {"type": "string"}}},
    "example": {"query": _QUERY},
}
_BODIES = {
    "application/sparql-query": _text(_QUERY),
    "application/x-www-form-urlencoded": _FORM,
    "application/sparql-update": _text(_UPDATE),
}
_BODY = {"description": "A query or an update, alone or as a form.", "required": True, "content": _BODIES}
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Solutions, a boolean, or triples, in the form that `Accept` likes best.",
        "content": {
            **{media: _text(_RESULTS[media]) for media in RESULT_TYPES[1:4]},
            **{media: _text(_TRIPLES[media]) for media in GRAPH_TYPES[:4]},
            RESULT_TYPES[0]: {"schema": {"type": "object"}, "example": _RESULTS[RESULT_TYPES[0]]},
        },
    },
    204: {"description": "The update is done."},
    **PROBLEM_RESPONSES,
}


def sparql_routes(
    path: str, dataset: SparqlDataset, settings: Settings, name: str, deferred: DeferredAnswer = _AT_ONCE
) -> APIRouter:
    """The endpoint of a dataset.

    Args:
        path: of the endpoint.
        dataset: that it answers over.
        settings: of the project.
        name: what the dataset is called, in the description of the interface.
        deferred: how whoever does not want to wait is answered.
    """
    routes, server = APIRouter(tags=["SPARQL"]), settings.server
    shared: dict[str, Any] = {
        "dependencies": [may("read")],
        "response_class": Response,
        "responses": {**deferred.responses, **_ANSWER},
    }

    @routes.get(path, summary=f"Ask {name}", openapi_extra={"parameters": [*_GET, *deferred.parameters]}, **shared)
    async def ask(request: Request) -> Response:
        """SPARQL 1.1 Protocol, query via GET. An answer that takes too long, or is too large, is given up."""
        return await _answer(request, of_url(fields_of(request.url.query)))

    @routes.post(
        path,
        summary=f"Ask {name}, or change it",
        openapi_extra={"parameters": [*_GRAPHS, *deferred.parameters], "requestBody": _BODY},
        **shared,
    )
    async def ask_or_update(request: Request) -> Response:
        """SPARQL 1.1 Protocol, via POST: the query as a form or as the body. Updates are off by default."""
        body = await read_body(request, server.body_size, server.body_timeout)
        fields = fields_of(request.url.query)
        asked = await run_in_threadpool(of_body, request.headers.get("Content-Type"), body, fields)
        return await _answer(request, asked)

    async def _answer(request: Request, asked: ProtocolRequest) -> Response:
        base = str(request.url.replace(query=""))
        if asked.update is not None:
            access: AccessControl = request.app.state.access
            access.check("admin", request.headers.get("Authorization"))
            update = SparqlUpdate(asked.update, base, settings.prefixes, asked.default, asked.named)
            await run_in_threadpool(dataset.update, update)
            return Response(status_code=204)
        accept = ",".join(request.headers.getlist("Accept"))
        graphs = accepted(accept, GRAPH_TYPES)
        if asked.query is None:
            if not graphs:
                raise ProblemError(406, "the description is triples", f"accept {', '.join(GRAPH_TYPES)}")
            return _response(service_description(dataset, base, graphs[0]))
        named = bool(asked.default or asked.named)
        question = SparqlQuestion(
            asked.query,
            base,
            settings.prefixes,
            asked.default if named else None,
            asked.named if named else None,
            dataset.union,
            accepted(accept, RESULT_TYPES),
            graphs,
            server.result_size,
        )
        begun = deferred.begin(request, question)
        if begun is not None:
            return begun
        return _response(await run_in_threadpool(dataset.query, question))

    return routes


def _response(document: Document) -> Response:
    return Response(document.content, media_type=with_charset(document.media_type), headers={"Vary": "Accept"})
