"""Errors as problem documents: what is wrong, where in a text, and the way out; as text for whoever takes no JSON.

Source: RFC 9457, Problem Details for HTTP APIs; RFC 9110, 12.5.1 (Accept).
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from ..errors import (
    AnnotationError,
    ConfigError,
    KaicepError,
    OntologyError,
    PipelineError,
    QuerySyntaxError,
    QueryTypeError,
    error_fields,
)
from .problem import ProblemError, first_fault

__all__ = ["PROBLEM", "PROBLEM_RESPONSES", "add_problem_handlers", "answers", "problem_response"]

PROBLEM = "application/problem+json"
_TYPE = "urn:kaicep:error:"
_STATUS = {
    QuerySyntaxError: 400,
    QueryTypeError: 400,
    OntologyError: 400,
    AnnotationError: 409,
    ConfigError: 500,
    PipelineError: 503,
}
"""By kind of error; of any other kind, the server can do nothing about it now."""
_EXAMPLE = {
    "type": f"{_TYPE}ArchiveError",
    "title": "Bad Request",
    "status": 400,
    "detail": "this is no SPARQL",
    "hint": 'expected here: WHERE or "{"',
    "place": {"source": "query", "line": 1, "column": 10, "length": 1, "text": "SELECT * HERE {}"},
    "text": 'query:1:10: this is no SPARQL\n  1 | SELECT * HERE {}\n    |          ^ expected here: WHERE or "{"',
}
_AWAY = {
    "type": f"{_TYPE}PipelineError",
    "title": "Service Unavailable",
    "status": 503,
    "detail": "no engine runs",
    "hint": "start one: kaicep run",
    "text": "no engine runs: start one: kaicep run",
}
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "What is wrong with the request; `text` alone, where `Accept` names forms and none is JSON.",
        "content": {PROBLEM: {"example": _EXAMPLE}, "text/plain": {"example": _EXAMPLE["text"]}},
    },
    "5XX": {
        "description": "What the server cannot do now; likewise.",
        "content": {PROBLEM: {"example": _AWAY}, "text/plain": {"example": _AWAY["text"]}},
    },
}


def answers(status: int, said: str, example: Any, model: Any = None) -> dict[int | str, dict[str, Any]]:
    """What an operation answers as JSON, as OpenAPI describes it: when all goes well, and otherwise.

    Args:
        status: when all goes well.
        said: what that answer says.
        example: of that answer.
        model: of that answer; `None`: what the operation says itself.
    """
    told = {"description": said, "model": model, "content": {"application/json": {"example": example}}}
    return {status: told, **PROBLEM_RESPONSES}


def add_problem_handlers(app: FastAPI) -> None:
    """Let an application answer every error by a problem document."""

    @app.exception_handler(ProblemError)
    def on_problem(_: Request, problem: ProblemError) -> Response:
        return problem_response(problem.status, problem.error, problem.headers)

    @app.exception_handler(KaicepError)
    def on_error(_: Request, error: KaicepError) -> Response:
        status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 503)
        return problem_response(status, error)

    @app.exception_handler(HTTPException)
    def on_http(request: Request, error: HTTPException) -> Response:
        said = {404: f"there is nothing at {request.url.path}", 405: f"{request.method} is not for this resource"}
        wrong = KaicepError(said.get(error.status_code, str(error.detail)), hint="GET /openapi.json says what there is")
        headers = {"Allow": _methods(request, error)} if error.status_code == 405 else error.headers
        return problem_response(error.status_code, wrong, headers)

    @app.exception_handler(RequestValidationError)
    def on_invalid(_: Request, error: RequestValidationError) -> Response:
        named = [{**one, "loc": one["loc"][1:]} for one in error.errors()]  # `query`, `path` or `header` before it
        wrong = first_fault(named)
        hint = wrong.hint or "GET /openapi.json says what it takes"
        return problem_response(422, KaicepError(wrong.message, hint=hint))

    @app.exception_handler(Exception)
    def on_defect(_: Request, error: Exception) -> Response:  # noqa: ARG001 - the log has it, and tells nobody else
        return problem_response(500, KaicepError("the server has a defect", hint="its log says more; report it"))


def _methods(request: Request, error: HTTPException) -> str:
    """All methods of a resource, in order: those that are described, since a route knows its own alone; else these.

    What is read has a head, too.
    """
    path = getattr(request.scope.get("route"), "path_format", "")
    described = [method.upper() for method in request.app.openapi()["paths"].get(path, ())]
    known = set(described or (error.headers or {}).get("Allow", "").split(", "))
    return ", ".join(sorted(known | {"HEAD"} if "GET" in known else known))


def problem_response(status: int, error: KaicepError, headers: Mapping[str, str] | None = None) -> Response:
    """A problem document; `text` is the error as the command line shows it, with the caret.

    Whoever names forms in `Accept`, and no JSON among them, is sent `text` alone, with its notes.
    """
    fields = error_fields(error)
    content: dict[str, Any] = {
        "type": f"{_TYPE}{fields['error']}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": error.message,
        "text": str(error),
    }
    content |= {name: fields[name] for name in ("hint", "place") if fields[name] is not None}
    if notes := getattr(error, "__notes__", None):
        content["notes"] = list(notes)
    return _ProblemResponse(content, status, headers)


class _ProblemResponse(JSONResponse):
    """Takes its form when it is sent, since guards that refuse a request know no more of it than its scope.

    Args:
        content: the problem document.
        status: of HTTP.
        headers: others that it has.
    """

    def __init__(self, content: Mapping[str, Any], status: int, headers: Mapping[str, str] | None) -> None:
        named = {**(headers or {}), "Vary": "Accept"}
        super().__init__(content, status, named, PROBLEM)
        self._text = PlainTextResponse("\n".join([content["text"], *content.get("notes", ())]), status, named)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        if _takes_json(",".join(Headers(scope=scope).getlist("Accept"))):
            await super().__call__(scope, receive, send)
        else:
            await self._text(scope, receive, send)


def _takes_json(accept: str) -> bool:
    """Whether a header names JSON, or no form at all: what takes anything beside other forms shows what it gets.

    YASGUI asks for `application/sparql-results+json,*/*;q=0.9`, and shows of any JSON that is none of solutions only
    that it is an object.
    """
    named = {part.partition(";")[0].strip().lower() for part in accept.split(",")} - {"", "*/*"}
    return not named or not named.isdisjoint({PROBLEM, "application/json", "application/*"})
