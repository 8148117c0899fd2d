"""Tasks on the executors of a Spark session: a job each time, of plain RDDs; back come reports.

An attempt that fails is run again, elsewhere if need be, and one that lags may be run twice, which Spark calls
speculation: each writes files of its own name, and the names in the reports of those that Spark lets win are the ones
that count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ...errors import KaicepError, error_fields, error_of
from ...storage import SharedFolder
from ..sharding import HostedQueries, HostingPlan, hosted
from .sent_plan import SentPlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkTasks"]


class _Job(NamedTuple):
    """What the tasks of a job have in common; `run` tells their files from those of other drivers."""

    sent: SentPlan
    part: Callable[[HostedQueries, Any, SharedFolder, str], Any]
    folder: SharedFolder
    name: str
    run: str


class SparkTasks:
    """Runs tasks on executors.

    Args:
        spark: the session; of a local one the master has to be `local[…, 4]`, say, for a task to be run again.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._run = uuid4().hex[:12]
        self._sent: tuple[str, SharedFolder, SentPlan] | None = None

    @property
    def parallelism(self) -> int:
        """How many tasks run at the same time."""
        return max(1, self._context.defaultParallelism)

    def __call__(
        self,
        plan: HostingPlan,
        part: Callable[[HostedQueries, Any, SharedFolder, str], Any],
        work: Sequence[Any],
        folder: SharedFolder,
        name: str,
    ) -> list[Any]:
        """See `TaskRunner`.

        Raises:
            KaicepError: what a task has raised.
        """
        if not work:
            return []
        if self._sent is None or self._sent[:2] != (plan.key, folder):
            self._sent = plan.key, folder, SentPlan.of(plan, folder)
        job = _Job(self._sent[2], part, folder, name, self._run)
        rdd = self._context.parallelize(list(work), min(len(work), self.parallelism))  # few tasks: each costs its start
        reports = []
        for report in rdd.mapPartitionsWithIndex(partial(_done, job)).collect():
            if isinstance(report, _Failure):
                raise error_of(report.fields)
            reports.append(report)
        return reports


class _Failure(NamedTuple):
    """What a task has raised that would be raised again."""

    fields: dict[str, Any]


def _done(job: _Job, place: int, work: Iterable[Any]) -> Iterator[Any]:
    """What an executor does for a task."""
    from pyspark import TaskContext  # noqa: PLC0415 - known there

    context = TaskContext.get()
    attempt = 0 if context is None else context.taskAttemptId()
    try:
        queries = hosted(job.sent.plan(job.folder))
        for number, one in enumerate(work):
            yield job.part(queries, one, job.folder, f"{job.name}-{place}.{number}-{job.run}-{attempt}.parts")
    except KaicepError as error:
        yield _Failure(error_fields(error))
