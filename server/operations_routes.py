"""What those ask who run a server: does it live, is it ready, how does its engine fare."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from ..api.clients import known_status
from ..errors import PipelineError
from ..pipeline.monitoring import EngineStatus, QueryStatus, StreamStatus, metrics_bytes, status_bytes
from ..settings import Role
from .access import current_client, may
from .problem import ProblemError
from .problem_document import PROBLEM_RESPONSES
from .readiness import Readiness, readiness_of

__all__ = ["operations_routes"]

_MOMENT = datetime(2026, 6, 1, 8, tzinfo=UTC)
_STATUS = EngineStatus(
    "running",
    4711,
    "0.1.0",
    _MOMENT,
    _MOMENT,
    batches=12,
    records=1200,
    streams={"air": StreamStatus(1200, rate=20.0, newest=_MOMENT)},
    queries={"high": QueryStatus("running", 42)},
)


@dataclass(frozen=True, slots=True)
class ClientRole:
    """Who asks.

    Attributes:
        token: the name of its token; `None`: the server has no tokens.
        role: what it may do.
    """

    token: str | None
    role: Role


def _content(media: str, said: str, example: Any, model: Any = None) -> dict[int | str, dict[str, Any]]:
    told = {"description": said, "content": {media: {"example": example}}}
    return {200: told if model is None else {**told, "model": model}}


_LIVES = _content("application/json", "It does.", {"healthy": True})
_READY = _content("application/json", "It is.", {"ready": True, "reason": None})
_CLIENT = _content("application/json", "Who asks.", {"token": "dashboard", "role": "read"})
_METRICS = "# TYPE kaicep_up gauge\nkaicep_up 1.0\n"
_NOT_YET: dict[int | str, dict[str, Any]] = {
    503: {
        "model": Readiness,
        "description": "It begins, recovers or ends.",
        "content": {"application/json": {"example": {"ready": False, "reason": "the engine recovers"}}},
    }
}


def operations_routes() -> APIRouter:
    """`/health`, `/ready`, `/client`, `/status` and `/metrics`."""
    routes = APIRouter(tags=["operations"])

    @routes.get("/health", summary="Does the server live?", responses=_LIVES)
    async def health() -> dict[str, bool]:
        """Answered as soon as it listens, whatever its engine does; no token is needed."""
        return {"healthy": True}

    @routes.get(
        "/ready",
        summary="Is it ready?",
        responses=_READY | _NOT_YET,
    )
    def ready(request: Request, response: Response) -> Readiness:
        """Not before the engine has recovered; `reason` says what is waited for. No token is needed."""
        found = readiness_of(request.app.state.settings, request.app.state.engine)
        response.status_code = 200 if found.ready else 503
        return found

    @routes.get(
        "/client",
        summary="Who asks, and what may it do?",
        dependencies=[may("read")],
        responses=PROBLEM_RESPONSES | _CLIENT,
    )
    async def client() -> ClientRole:
        """So that what shows buttons can say which of them would be refused."""
        found = current_client.get()
        return ClientRole(found.token, found.role)

    @routes.get(
        "/status",
        summary="How does the engine fare?",
        dependencies=[may("read")],
        response_class=JSONResponse,
        responses=PROBLEM_RESPONSES | _content("application/json", "The engine's last words.", _STATUS, EngineStatus),
    )
    def status(request: Request) -> Response:
        """Streams, queries, stages, archive: what `kaicep status --json` prints; of one that ended, its last words."""
        try:
            known = known_status(request.app.state.settings)
        except PipelineError as error:
            raise ProblemError(404, error) from error
        return Response(status_bytes(known.told), media_type="application/json")

    @routes.get(
        "/metrics",
        summary="The same as metrics of Prometheus",
        dependencies=[may("read")],
        response_class=Response,
        responses=_content(CONTENT_TYPE_LATEST, "The metrics.", _METRICS) | PROBLEM_RESPONSES,
    )
    def metrics(request: Request) -> Response:
        """Those of the engine, and of the requests to this server."""
        own = bytes(request.app.state.metrics)
        try:
            engine = metrics_bytes(known_status(request.app.state.settings).told)
        except PipelineError:
            engine = b"# HELP kaicep_up Whether the engine runs.\n# TYPE kaicep_up gauge\nkaicep_up 0.0\n"
        return Response(engine + own, media_type=CONTENT_TYPE_LATEST)

    return routes
