"""`/archive` and `/queries/{label}/chart`: what is kept of which times, and what a chart of a query draws."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import APIRouter, Request

from ...api.remote import RemoteArchive, RemoteChart
from ...config import Settings
from ..access import may
from ..jobs import CHART, JOB_BEGUN, JOB_PREFERENCE, JobQueue, ask_apart, job_answer, prefers_job
from ..problem import ProblemError
from ..problem_document import answers
from ..queries import ProjectProcesses, QueryCatalog
from ..request_parameters import ChartEnd, ChartStart, GapLength, QueryLabel
from ..time_parameter import duration_parameter
from .archive_statistics import ArchiveStatistics, archive_statistics
from .query_chart import query_chart

__all__ = ["archive_routes"]

_STATISTICS = {
    "events": 1200,
    "bytes": 180_000,
    "from": "2026-06-01T08:00:00Z",
    "to": "2026-06-01T09:00:00Z",
    "streams": [
        {
            "name": "air",
            "events": 1200,
            "from": "2026-06-01T08:00:00Z",
            "to": "2026-06-01T09:00:00Z",
            "covered": [
                ["2026-06-01T08:00:00Z", "2026-06-01T08:20:00Z"],
                ["2026-06-01T08:40:00Z", "2026-06-01T09:00:00Z"],
            ],
            "gaps": [["2026-06-01T08:20:00Z", "2026-06-01T08:40:00Z", None]],
        }
    ],
}
_CHART = {
    "series": [{"name": "flow s1", "unit": None, "points": [["2026-06-01T08:00:00Z", 40.0]]}],
    "threshold": [50.0],
    "matches": [{"id": 32 * "0", "time": "2026-06-01T08:00:01Z"}],
    "from": "2026-06-01T08:00:00Z",
    "to": "2026-06-01T09:00:00Z",
}


def archive_routes(settings: Settings, processes: ProjectProcesses, catalog: QueryCatalog, jobs: JobQueue) -> APIRouter:
    """The routes of the archive but SPARQL.

    Args:
        settings: of the project.
        processes: that load the project.
        catalog: of the registered queries.
        jobs: do what nobody wants to wait for.
    """
    routes = APIRouter(tags=["archive"])

    @routes.get(
        "/archive",
        summary="What is kept",
        dependencies=[may("read")],
        response_model=RemoteArchive,
        responses=answers(200, "Of all streams, and of each.", _STATISTICS),
    )
    def archive(gap: GapLength = None) -> ArchiveStatistics:
        """Events by stream, of which times there are some, and where there is none; `gap` says how long that is: 1h.

        Without it, a 200th of the time that the archive spans.
        """
        return archive_statistics(settings, None if gap is None else _length(gap))

    @routes.get(
        "/queries/{label}/chart",
        summary="What a chart of a query draws",
        dependencies=[may("read")],
        response_model=RemoteChart,
        responses=JOB_BEGUN | answers(200, "Lines, thresholds and marks.", _CHART),
        openapi_extra={"parameters": [JOB_PREFERENCE]},
    )
    def chart(request: Request, label: QueryLabel, start: ChartStart = "now - 24h", end: ChartEnd = None) -> Any:
        """The values that it compares, by what they are of; the thresholds; and its rows as marks.

        `from` is a moment, or `now - 1h`; now is the time of the newest event.
        """
        catalog.query(label)
        if prefers_job(request):
            return job_answer(jobs.begin(CHART, ask_apart, query_chart, settings, label, start, end, about=label).id)
        return processes.ask(query_chart, label, start, end)

    return routes


def _length(gap: str) -> timedelta:
    found = duration_parameter("gap", gap)
    if not found:
        raise ProblemError(400, f"gap: '{gap}' is no time at all", "write 90s, 15min or 1h")
    return found
