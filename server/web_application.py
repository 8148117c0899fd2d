"""The application: its routes, who may ask, and what begins and ends with it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware

from ..config import Settings
from .access_control import AccessControl, OriginCheck
from .engine_process import EngineProcess
from .operations_routes import operations_routes
from .problem_document import add_problem_handlers
from .request_metrics import RequestMeter, RequestMetrics

__all__ = ["create_app"]

_ABOUT = "Semantic event processing: χ-CEP queries over past, present and future events, SPARQL over all of them."


def create_app(settings: Settings, engine: EngineProcess | None = None) -> FastAPI:
    """The application of a project.

    Args:
        settings: of the project.
        engine: begins and ends with it; `None`: it is left to others.

    Raises:
        ConfigError: the server would listen beyond this machine without tokens, or a token is not found.
    """
    access, metrics = AccessControl(settings), RequestMetrics()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as steps:
            if engine is not None:
                engine.start()
                steps.push_async_callback(run_in_threadpool, engine.stop)
            yield

    app = FastAPI(
        title="kaicep", summary=_ABOUT, version=version("kaicep"), lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.settings, app.state.engine = settings, engine
    app.state.access, app.state.metrics = access, metrics
    add_problem_handlers(app)
    app.include_router(operations_routes())
    if settings.server.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.server.cors),
            allow_methods=["GET", "HEAD", "POST", "PUT", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Accept"],
            expose_headers=["Location"],
            max_age=600,
        )
    app.add_middleware(OriginCheck, server=settings.server, open_=access.open)
    app.add_middleware(RequestMeter, metrics=metrics)  # outermost
    return app
