"""The Graph Store Protocol over HTTP: graphs by name, the default graph, and those whose name is their address.

Source: SPARQL 1.1 Graph Store HTTP Protocol.
"""

from __future__ import annotations

import string
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pyoxigraph as ox
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.convertors import PathConvertor, register_url_convertor

from ...api.remote import RemoteGraph
from ...settings import Role, ServerSettings
from ..access import may
from ..jobs import JOB_BEGUN, JOB_PREFERENCE, JobKind, JobQueue, job_answer, prefers_job
from ..problem import ProblemError
from ..problem_document import PROBLEM_RESPONSES
from ..request_body import read_body
from ..request_parameters import ADDRESS_PARAMETER, GRAPH_PARAMETERS
from ..sparql import GRAPH_TYPES, Document, WatchedCall, accepted, graph_examples, with_charset
from .graph_store import GraphStore, OwnAddress
from .rdf_upload import UPLOAD_TYPES, rdf_parts

__all__ = ["graph_routes"]


class _Lines(PathConvertor):
    """What follows in an address: Starlette's own pattern ends at an escaped line break."""

    regex = "(?s:.*)"


register_url_convertor("lines", _Lines())

_IN_ADDRESSES = string.punctuation
"""IRIs have letters that headers do not; percent signs are part of the name already."""
_EXAMPLES = graph_examples()
_OWL_XML = """<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:ex:rooms">
  <Declaration><Class IRI="urn:ex:Thermometer"/></Declaration>
</Ontology>"""
_GRAPH = {
    "module": "rooms.ttl",
    "triples": 120,
    "from": "project",
    "version": 1,
    "batch": 0,
    "since": "2026-06-01T08:00:00Z",
}


def _text(example: str) -> dict[str, Any]:
    return {"schema": {"type": "string"}, "example": example}


_BODY = {
    "description": "Triples, as one document; or as the parts of a form, each in one of these forms.",
    "required": True,
    "content": {
        **{media: _text(_EXAMPLES.get(media, _OWL_XML)) for media in UPLOAD_TYPES},
        "multipart/form-data": {
            "schema": {"type": "object", "additionalProperties": {"type": "string"}},
            "example": {"rooms.ttl": _EXAMPLES[GRAPH_TYPES[0]]},
        },
    },
}
_READ: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The graph, in the form that `Accept` likes best; without a name, a list of graphs.",
        "content": {
            **{media: _text(_EXAMPLES[media]) for media in GRAPH_TYPES},
            "application/json": {"schema": TypeAdapter(list[RemoteGraph]).json_schema(), "example": [_GRAPH]},
        },
    },
    **PROBLEM_RESPONSES,
}
_WRITTEN: dict[int | str, dict[str, Any]] = {
    201: {"description": "There is a new graph, at `Location`."},
    **JOB_BEGUN,
    204: {"description": "The graph says so now."},
    **PROBLEM_RESPONSES,
}
_DELETED: dict[int | str, dict[str, Any]] = {
    **JOB_BEGUN,
    204: {"description": "The graph is gone."},
    **PROBLEM_RESPONSES,
}


class _Graphs:
    """The operations over one store; `request` names the graph."""

    def __init__(self, store: GraphStore, server: ServerSettings, jobs: JobQueue) -> None:
        self._store, self._server, self._jobs = store, server, jobs

    async def read(self, request: Request) -> Response:
        """SPARQL 1.1 Graph Store Protocol, GET and HEAD."""
        if not _names_graph(request):
            return JSONResponse(await run_in_threadpool(self._store.graphs))
        media = accepted(",".join(request.headers.getlist("Accept")), GRAPH_TYPES)
        if not media:
            raise ProblemError(406, "graphs are triples", f"accept {', '.join(GRAPH_TYPES)}")
        graph = _graph(request)
        found: Document | None = await run_in_threadpool(self._store.read, graph, media[0])
        if found is None:
            raise _missing(graph)
        return Response(found.content, media_type=with_charset(found.media_type), headers={"Vary": "Accept"})

    async def put(self, request: Request) -> Response:
        """SPARQL 1.1 Graph Store Protocol, PUT: the graph says what the body says, and nothing else."""
        return await self._write(request, _graph(request), replace=True)

    async def post(self, request: Request) -> Response:
        """SPARQL 1.1 Graph Store Protocol, POST: what the body says is added; without a name, a new graph gets one."""
        graph = _graph(request) if _names_graph(request) else f"{_address(request)}/{uuid.uuid4()}"
        return await self._write(request, graph, replace=False)

    async def delete(self, request: Request) -> Response:
        """SPARQL 1.1 Graph Store Protocol, DELETE."""
        graph = _graph(request)
        place = _place(graph, graph or _address(request))

        def delete(watch: WatchedCall) -> dict[str, str]:
            if not self._store.delete(watch, graph):
                raise _missing(graph)
            return {"graph": place}

        if prefers_job(request):
            return self._begun("removal", delete, place)
        await run_in_threadpool(delete, WatchedCall())
        return Response(status_code=204)

    async def _write(self, request: Request, graph: str | None, *, replace: bool) -> Response:
        body = await read_body(request, self._server.body_size, self._server.body_timeout)
        content_type, base = request.headers.get("Content-Type"), graph or _address(request)

        parts = await run_in_threadpool(rdf_parts, content_type, body)

        place = _place(graph, base)

        def write(watch: WatchedCall) -> dict[str, Any]:
            return {"graph": place, "new": self._store.write(watch, graph, parts, base, replace=replace)}

        if prefers_job(request):
            return self._begun("upload", write, place)
        written = await run_in_threadpool(write, WatchedCall())
        return Response(status_code=201, headers={"Location": place}) if written["new"] else Response(status_code=204)

    def _begun(self, name: str, do: Callable[[WatchedCall], Any], place: str) -> Response:
        return job_answer(self._jobs.begin_call(JobKind(name, self._store.stages), do, place).id)


def graph_routes(path: str, store: GraphStore, server: ServerSettings, name: str, jobs: JobQueue) -> APIRouter:
    """The graph store at a path.

    Args:
        path: of the store; what lies below is a graph whose name is its address.
        store: that it reads and writes.
        server: what one request may cost.
        name: what its graphs are called, in the description of the interface.
        jobs: do what nobody wants to wait for.
    """
    routes, graphs = APIRouter(tags=["graphs"]), _Graphs(store, server, jobs)
    for place, how in ((path, ""), (f"{path}/{{local:lines}}", " whose name is this address")):
        parameters = list(GRAPH_PARAMETERS) if place == path else [ADDRESS_PARAMETER]
        operations: tuple[tuple[str, Any, str, Role, dict[int | str, dict[str, Any]]], ...] = (
            ("GET", graphs.read, "Read", "read", _READ),
            ("PUT", graphs.put, "Write", "admin", _WRITTEN),
            ("POST", graphs.post, "Add to", "admin", _WRITTEN),
            ("DELETE", graphs.delete, "Delete", "admin", _DELETED),
        )
        for method, do, verb, role, responses in operations:
            routes.add_api_route(
                place,
                do,
                methods=[method],
                status_code=200 if responses is _READ else 204,
                summary=f"{verb} {name}{how}",
                dependencies=[may(role)],
                response_class=Response,
                responses=responses,
                openapi_extra={
                    "parameters": parameters if responses is _READ else [*parameters, JOB_PREFERENCE],
                    **({"requestBody": _BODY} if responses is _WRITTEN else {}),
                },
            )
    return routes


def _names_graph(request: Request) -> bool:
    return "local" in request.path_params or bool({"graph", "default"} & set(request.query_params))


def _graph(request: Request) -> str | None:
    """The graph that a request names; `None`: the default graph."""
    names = request.query_params.getlist("graph")
    if "default" in request.query_params and not names:
        return None
    if len(names) > 1 or "default" in request.query_params or (names and "local" in request.path_params):
        raise ProblemError(400, "the request names several graphs", "name one")
    if not names and "local" not in request.path_params:
        raise ProblemError(400, "the request names no graph", "add ?graph=IRI, or ?default")
    name = names[0] if names else _address(request)
    try:
        graph = ox.NamedNode(name).value
    except ValueError as error:
        raise ProblemError(400, f"'{name}' is no IRI: {error}", "name an absolute one") from error
    return OwnAddress(graph) if not names or _is_below(graph, _address(request)) else graph


def _address(request: Request) -> str:
    """The address of a request as it was sent: percent signs are part of a name."""
    return f"{request.url.scheme}://{request.url.netloc}{request.scope['raw_path'].decode('ascii')}"


def _is_below(graph: str, address: str) -> bool:
    """Whether the name of a graph begins with an address; a proxy may speak TLS where we do not."""
    return graph.partition("://")[2].startswith(f"{address.partition('://')[2]}/")


def _place(graph: str | None, base: str) -> str:
    """What a graph is called in headers; `base`: the address of the default graph."""
    return quote(f"{base}?default" if graph is None else graph, safe=_IN_ADDRESSES)


def _missing(graph: str | None) -> ProblemError:
    said = "the default graph says nothing" if graph is None else f"there is no graph <{graph}>"
    return ProblemError(404, said, "GET without a name lists what there is")
