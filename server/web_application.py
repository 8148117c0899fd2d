"""The application: its routes, who may ask, and what begins and ends with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware

from ..api.clients import complete_store, engine_lives, store_lacks
from ..config import Settings
from ..errors import KaicepError
from .access import AccessControl, ClientLimits, HeadRequest, OriginCheck, ResponsePolicy
from .alarms import Acknowledgements, AlarmCatalog, alarm_routes
from .archive import archive_routes
from .engine_process import EngineProcess
from .events import EventInboxes, event_routes
from .graphs import DatasetGraphs, ModuleGraphs, graph_routes
from .jobs import JOB_BEGUN, JOB_PREFERENCE, QUESTION, JobQueue, ask_routes, job_answer, job_routes, prefers_job
from .knowledge import knowledge_routes
from .operations_routes import operations_routes
from .page import page_routes
from .problem import ProblemError
from .problem_document import add_problem_handlers
from .queries import ProjectProcesses, QueryCatalog, check_routes, query_routes
from .request_metrics import RequestMeter, RequestMetrics
from .rows import RowFeeds, row_routes
from .shutdown_answer import ShutdownAnswer
from .sparql import ArchiveDataset, DeferredAnswer, SparqlQuestion, UploadedDataset, sparql_routes
from .streams import stream_routes, vocabulary_routes

__all__ = ["create_app"]

_TIDY_S = 10.0
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
    archive, modules, datasets = ArchiveDataset(settings), ModuleGraphs(settings), _datasets(settings)
    processes, feeds, inboxes = ProjectProcesses(settings), RowFeeds(settings), EventInboxes(settings)
    catalog = QueryCatalog(settings, processes)
    jobs = JobQueue(settings.server.job_timeout.total_seconds(), settings.path(settings.engine.state) / "jobs")

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as steps:
            steps.callback(jobs.close)  # behind all others: what a job waits for is ended then
            steps.callback(archive.close)
            steps.callback(modules.close)
            steps.callback(processes.close)
            for dataset in datasets.values():
                steps.callback(dataset.close)
            threading.Thread(target=_begin, args=(settings, archive), daemon=True).start()
            tidying = asyncio.create_task(_tidy(archive))
            steps.callback(tidying.cancel)
            if engine is not None:
                engine.start()
                steps.push_async_callback(run_in_threadpool, engine.stop)
            yield

    app = FastAPI(
        title="kaicep", summary=_ABOUT, version=version("kaicep"), lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.settings, app.state.engine = settings, engine
    app.state.access, app.state.metrics = access, metrics
    app.state.feeds, app.state.processes = feeds, processes
    add_problem_handlers(app)
    app.include_router(page_routes())
    app.include_router(operations_routes())
    deferred = DeferredAnswer(partial(_begin_question, jobs, archive), (JOB_PREFERENCE,), JOB_BEGUN)
    app.include_router(sparql_routes("/sparql", archive, settings, "the archive", deferred))
    app.include_router(query_routes(settings, processes, catalog))
    app.include_router(row_routes(settings, catalog, feeds))
    app.include_router(check_routes(settings, processes))
    app.include_router(ask_routes(settings, processes))
    app.include_router(job_routes(settings, jobs))
    app.include_router(stream_routes(settings, processes))
    app.include_router(event_routes(inboxes, settings.server))
    alarms, acknowledgements = (
        AlarmCatalog(settings, processes, catalog),
        Acknowledgements(settings, processes, inboxes),
    )
    app.include_router(alarm_routes(alarms, acknowledgements, settings.server))
    app.include_router(vocabulary_routes(settings, processes))
    app.include_router(knowledge_routes(processes, catalog))
    app.include_router(archive_routes(settings, processes, catalog, jobs))
    app.include_router(graph_routes("/graphs", modules, settings.server, "an ontology module", jobs))
    for name, dataset in datasets.items():
        path, graphs = f"/datasets/{name}", DatasetGraphs(dataset, settings.server.result_size)
        called = f"a graph of the dataset {name}"
        app.include_router(sparql_routes(f"{path}/sparql", dataset, settings, f"the dataset {name}"))
        app.include_router(graph_routes(f"{path}/graphs", graphs, settings.server, called, jobs))
    _add_guards(app, settings, access)
    app.add_middleware(RequestMeter, metrics=metrics)  # outermost
    return app


def _add_guards(app: FastAPI, settings: Settings, access: AccessControl) -> None:
    """What looks at requests before the application does, from the inside to the outside."""
    app.add_middleware(HeadRequest)
    app.add_middleware(ClientLimits, access=access, server=settings.server)
    app.add_middleware(OriginCheck, server=settings.server, open_=access.open)
    app.add_middleware(ShutdownAnswer)
    if settings.server.cors:
        # Outside of those above: else scripts of pages that may ask hear no reason when they are refused.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.server.cors),
            allow_methods=["GET", "HEAD", "POST", "PUT", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Accept", "Last-Event-ID", "Prefer"],
            expose_headers=["Location", "Retry-After"],
            max_age=600,
        )
    app.add_middleware(ResponsePolicy)


def _datasets(settings: Settings) -> dict[str, UploadedDataset]:
    found = {}
    for name, one in settings.server.datasets.items():
        folder = settings.path(one.path or f"var/datasets/{name}")
        found[name] = UploadedDataset(folder, settings.server, updatable=one.update)
    return found


def _begin_question(
    jobs: JobQueue, archive: ArchiveDataset, request: Request, question: SparqlQuestion
) -> Response | None:
    """Let a job answer a question, if whoever asks does not want to wait."""
    if not prefers_job(request):
        return None
    return job_answer(jobs.begin_call(QUESTION, partial(archive.query_apart, question), question.text).id)


def _begin(settings: Settings, archive: ArchiveDataset) -> None:
    """Begin the processes that answer ahead, and add what a run has left; where that fails, whoever asks is told."""
    with suppress(ProblemError):
        archive.start()
    with suppress(KaicepError):
        if not engine_lives(settings) and store_lacks(settings):
            complete_store(settings)


async def _tidy(archive: ArchiveDataset) -> None:
    while True:
        await asyncio.sleep(_TIDY_S)
        await run_in_threadpool(archive.tidy)
