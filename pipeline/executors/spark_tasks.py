"""Tasks on the executors of a Spark session: a job each time; back come reports.

An attempt that fails is run again, elsewhere if need be, and one that lags may be run twice, which Spark calls
speculation: each writes files of its own name, and the names in the reports of those that Spark lets win are the ones
that count.
"""

from __future__ import annotations

import os
import pickle
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ...errors import KaicepError, PipelineError, error_fields, error_of
from ...storage import SharedFolder, is_transient, masked
from ..flow import CancelledError
from ..monitoring import ExecutorStatus
from ..sharding import HostedQueries, HostingPlan, hosted
from .executor_figures import counted
from .frozen_heap import leave_to_stay
from .python_job import PythonJobs
from .sent_plan import SentPlan, sent_text, told_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkTasks"]

_RAISED = re.compile(r"^(?:[\w.]*(?:Error|Exception)|\[[A-Z_.]+\]|.*Cannot run program)\b.*", re.MULTILINE)


_Part = Callable[[HostedQueries, Any, SharedFolder, str], Any]


class _Kind(NamedTuple):
    """What tasks of a kind have in common, job by job; `run` tells their files from those of other drivers."""

    plan: str
    sent: bytes
    umask: str
    part: _Part
    folder: SharedFolder
    run: str


class SparkTasks:
    """Runs tasks on executors.

    Args:
        spark: the session; of a local one the master has to be `local[…, 4]`, say, for a task to be run again.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        self._run = uuid4().hex[:12]
        self._sent: tuple[str, SharedFolder, bytes] | None = None
        self._kinds: dict[_Part, bytes] = {}
        self._jobs = PythonJobs(self._context)
        self._cancelled = threading.Event()
        self._figures: dict[str, ExecutorStatus] = {}

    @property
    def parallelism(self) -> int:
        """How many tasks run at the same time."""
        return self._jobs.parallelism

    @property
    def figures(self) -> Mapping[str, ExecutorStatus]:
        """What each executor has done, by the name of its machine and its process there."""
        return dict(self._figures)

    def begin(self) -> None:
        """Take work, also after a cancellation."""
        self._cancelled.clear()

    def cancel(self) -> None:
        """End the job at work with `CancelledError`, and begin none until `begin`; from any thread."""
        self._cancelled.set()
        self._context.cancelJobsWithTag(self._run)

    def __call__(
        self,
        plan: HostingPlan,
        part: _Part,
        work: Sequence[Any],
        folder: SharedFolder,
        name: str,
    ) -> list[Any]:
        """See `TaskRunner`.

        Raises:
            KaicepError: what a task has raised.
            PipelineError: Spark could not run one.
        """
        if not work:
            return []
        reports = []
        for done in self._results(self._kind(plan, part, folder), work, name):
            if isinstance(done, _Failure):
                raise error_of(done.fields) from (None if done.number is None else OSError(done.number, ""))
            figures = self._figures.get(done.executor, ExecutorStatus())
            self._figures[done.executor] = counted(figures, done.report, done.seconds)
            reports.append(done.report)
        return reports

    def _kind(self, plan: HostingPlan, part: _Part, folder: SharedFolder) -> bytes:
        """What goes with each job of a kind: pickled once."""
        if self._sent is None or self._sent[:2] != (plan.key, folder):
            self._sent, self._kinds = (plan.key, folder, sent_text(SentPlan.of(plan, folder))), {}
        if part not in self._kinds:
            umask = plan.catalog.settings.engine.umask
            self._kinds[part] = self._jobs.pickled(_Kind(plan.key, self._sent[2], umask, part, folder, self._run))
        return self._kinds[part]

    def _results(self, kind: bytes, work: Sequence[Any], name: str) -> list[_Done | _Failure]:
        from py4j.protocol import Py4JError  # noqa: PLC0415 - who reads recordings without Spark needs it not
        from pyspark.errors import PySparkException  # noqa: PLC0415 - likewise

        if self._cancelled.is_set():
            raise CancelledError
        shares = _shares(work, min(len(work), self.parallelism))  # each task costs its start
        try:
            return self._jobs.results(partial(_done, kind, name, shares), len(shares), self._run)
        except (Py4JError, PySparkException) as error:
            if self._cancelled.is_set():
                raise CancelledError from None
            raise PipelineError(
                f"executors cannot do a task: {_reason(error)}",
                hint="see that they have the driver's Python and packages; the batch is done again at the next start",
            ) from error


def _shares(work: Sequence[Any], tasks: int) -> list[Sequence[Any]]:
    """The work of each task, one behind the other."""
    places = [place * len(work) // tasks for place in range(tasks + 1)]
    return [work[start:end] for start, end in pairwise(places)]


class _Done(NamedTuple):
    """What a task has done."""

    report: Any
    executor: str
    seconds: float


class _Failure(NamedTuple):
    """What a task has raised that would be raised again; `number`: of the operating system's error, if that passes."""

    fields: dict[str, Any]
    number: int | None


def _done(pickled: bytes, name: str, shares: Sequence[Sequence[Any]], place: int) -> Iterator[_Done | _Failure]:
    """What an executor does for a task."""
    from pyspark import TaskContext  # noqa: PLC0415 - known there

    job: _Kind = pickle.loads(pickled)  # noqa: S301 - the driver's own
    context = TaskContext.get()
    attempt = 0 if context is None else context.taskAttemptId()
    executor = f"{socket.gethostname()}/{os.getppid()}"
    try:
        with masked(job.umask):
            queries = hosted(told_plan(job.plan, job.sent, job.folder))
            for number, one in enumerate(shares[place]):
                began = time.monotonic()
                file = f"{name}-{place}.{number}-{job.run}-{attempt}.parts"
                report = job.part(queries, one, job.folder, file)
                yield _Done(report, executor, time.monotonic() - began)
    except KaicepError as error:
        yield _Failure(error_fields(error), _passing(error))
    except OSError as error:
        if not is_transient(error):
            raise
        told = PipelineError(f"a task could not read or write: {error}", hint="it is done again when that has passed")
        yield _Failure(error_fields(told), error.errno)
    leave_to_stay(job.plan, job.part.__name__)


def _passing(error: BaseException) -> int | None:
    """The number of the operating system's error behind one that passes; `None`: it does not."""
    cause: BaseException | None = error
    while cause is not None and is_transient(error):
        if isinstance(cause, OSError):
            return cause.errno
        cause = cause.__cause__
    return None


def _reason(error: Exception) -> str:
    """What a task of Spark's has raised, in a line."""
    found = _RAISED.findall(str(error))
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return (found[-1] if found else lines[0]).strip()
