"""Jobs: some at a time, and not all of one client; what came of each is kept for a while."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from ...errors import error_fields
from ..access import current_client
from ..problem import ProblemError
from ..sparql import Document, WatchedCall
from .job_call import JobCall
from .job_kind import JobKind
from .job_process import JobProcess, Work
from .job_results import JobResults

__all__ = ["Job", "JobQueue"]

_AT_ONCE, _SHARE, _KEPT = 3, 2, 50
"""Jobs that run at once; those of one client among them; those that are over and kept."""
_WAITING = 20
"""Of one client."""
_DOCUMENTS = 10
"""So many results are kept that are documents."""
_KEPT_S = 3600.0
_ABOUT = 1_000
_BEFORE_END = 0.99

_LOG = logging.getLogger("kaicep")

JobState = Literal["waiting", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work.

    Attributes:
        id: that it is asked by.
        kind: what it is, such as `try`.
        state: how it fares.
        created: when it was asked for.
        progress: how far it is, from 0 to 1, and never less than before; `None`: nobody knows.
        result: what came of it, when it is done; of a document `media_type` and `bytes`.
        problem: why it failed: `status`, `detail`, and `hint`, `place` and `notes` where there are some.
        stage: what it is at, such as `reasoning`; `None`: it does not say.
        about: what it is about: a graph, a query.
    """

    id: str
    kind: str
    state: JobState
    created: datetime
    progress: float | None = None
    result: Any = None
    problem: Mapping[str, Any] | None = None
    stage: str | None = None
    about: str | None = None


@dataclass(slots=True)
class _Held:
    job: Job
    kind: JobKind
    process: JobProcess | JobCall
    client: str
    ended: float | None = None
    changing: threading.Lock = field(default_factory=threading.Lock)


class JobQueue:
    """The jobs of a server; any thread may ask.

    Args:
        seconds: that one may take.
        folder: where results that are documents are kept.

    Attributes:
        process: what each is done in.
    """

    process: ClassVar[type[JobProcess]] = JobProcess

    def __init__(self, seconds: float, folder: Path) -> None:
        self._seconds, self._results = seconds, JobResults(folder)
        self._began = datetime.now(UTC)
        self._held: dict[str, _Held] = {}
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(_AT_ONCE, "kaicep-job")
        self._closed = False

    def begin(self, kind: JobKind, work: Work, *arguments: object, about: str | None = None) -> Job:
        """Let something be done as soon as its turn comes.

        Args:
            kind: what it is.
            work: what is done, in a process of its own.
            arguments: of it.
            about: a graph, a query.

        Raises:
            ProblemError: 429, too much waits already.
        """
        return self._enqueued(kind, self.process(work, *arguments), about)

    def begin_call(self, kind: JobKind, work: Callable[[WatchedCall], Any], about: str | None = None) -> Job:
        """As `begin`, of what one of the server's processes does, and what may change something.

        Raises:
            ProblemError: likewise.
        """
        return self._enqueued(kind, JobCall(work), about)

    def _enqueued(self, kind: JobKind, process: JobProcess | JobCall, about: str | None) -> Job:
        said = None if about is None else about[:_ABOUT]
        job = Job(uuid.uuid4().hex, kind.name, "waiting", datetime.now(UTC), about=said)
        held = _Held(job, kind, process, current_client.get().name)
        with self._lock:
            self._forget()
            if self._count("waiting", held.client) >= _WAITING:
                raise ProblemError(429, f"{_WAITING} of your jobs wait already", "ask again later", Retry_After="30")
            self._held[job.id] = held
            with suppress(RuntimeError):  # the server ends
                self._threads.submit(self._work)
        return job

    def jobs(self) -> list[Job]:
        """All that are known, the newest first; without their results."""
        with self._lock:
            self._forget()
            return [replace(one.job, result=None) for one in reversed(self._held.values())]

    def job(self, name: str) -> Job:
        """One of them.

        Raises:
            ProblemError: 404, there is none of that id, or no more.
        """
        return self._of(name).job

    def document(self, name: str) -> Path | None:
        """The file of a job's result, if that is a document.

        Raises:
            ProblemError: as `job`.
        """
        self._of(name)
        return self._results.find(name)

    def cancel(self, name: str) -> None:
        """End one, or forget it when it is over.

        Raises:
            ProblemError: as `job`; 403, it is of somebody else; 409, it is a change that has begun.
        """
        held, client = self._of(name), current_client.get()
        if client.name != held.client and client.role != "admin":
            raise ProblemError(403, "the job is of somebody else", "let them end it, or use a token of the role admin")
        with held.changing:
            over = held.ended is not None
            if not over:
                if not held.process.cancel():
                    raise ProblemError(409, "a change that has begun is finished", "wait for it, and take it back then")
                held.job = replace(held.job, state="cancelled", stage=None)
                held.ended = time.monotonic()
        if over:
            with self._lock:
                self._drop(name)

    def close(self) -> None:
        """End all."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for held in list(self._held.values()):
            held.process.cancel()
        self._threads.shutdown()
        self._results.close()

    def _of(self, name: str) -> _Held:
        with self._lock:
            self._forget()
            if name not in self._held:
                began = f"{self._began:%Y-%m-%d %H:%M:%S} UTC"
                hint = (
                    f"results are kept for an hour, and this server, which began at {began}, knows none of before: "
                    "GET /jobs lists what there is, and GET /graphs what uploads have changed"
                )
                raise ProblemError(404, f"there is no job '{name}'", hint)
            return self._held[name]

    def _work(self) -> None:
        """Do the jobs that may be done now, one after the other."""
        while (held := self._next()) is not None:
            self._run(held)

    def _next(self) -> _Held | None:
        """The job that runs next: of who has the fewest, and then who came first; `None`: none may."""
        with self._lock:
            if self._closed:
                return None
            running = {one.client: self._count("running", one.client) for one in self._held.values()}
            able = [h for h in self._held.values() if h.job.state == "waiting" and running[h.client] < _SHARE]
            for held in sorted(able, key=lambda held: running[held.client]):
                if self._change(held, state="running"):
                    return held
            return None

    def _count(self, state: JobState, client: str) -> int:
        return sum(one.job.state == state and one.client == client for one in self._held.values())

    def _run(self, held: _Held) -> None:
        try:
            result = held.process.run(self._seconds, partial(self._hear, held))
            if isinstance(result, Document):
                result = self._results.keep(held.job.id, result)
        except ProblemError as problem:
            fields = error_fields(problem.error)
            told = {
                "error": fields["error"],
                "status": problem.status,
                "detail": fields["message"],
                "text": str(problem.error),
            }
            told |= {name: fields[name] for name in ("hint", "place", "notes") if fields.get(name) is not None}
            self._change(held, ended=True, state="failed", problem=told, stage=None)
        except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
            defect = {"status": 500, "detail": "the server has a defect"}
            self._change(held, ended=True, state="failed", problem=defect, stage=None)
            _LOG.exception("a job has met a defect: %s", error)
        else:
            self._change(held, ended=True, state="done", progress=1.0, result=result, stage=None)

    def _hear(self, held: _Held, stage: str, share: float) -> None:
        """Note how far a job is: the end is told when it is there."""
        far, before = held.kind.progress(stage, share), held.job.progress
        if far is not None:
            before = max(before or 0.0, min(far, _BEFORE_END))
        self._change(held, stage=stage, progress=before)

    def _change(self, held: _Held, *, ended: bool = False, **changes: Any) -> bool:
        """Note what has become of a job; not if it was cancelled meanwhile."""
        with held.changing:
            if held.ended is not None:
                return False
            held.job = replace(held.job, **changes)
            held.ended = time.monotonic() if ended else None
            return True

    def _forget(self) -> None:
        """Forget what is over for long, and the oldest where there are many."""
        over = [name for name, one in self._held.items() if one.ended is not None]
        old = [name for name in over if time.monotonic() - (self._held[name].ended or 0.0) > _KEPT_S]
        documents = [name for name in over if self._results.find(name) is not None]
        beyond = [names[: max(0, len(names) - most)] for names, most in ((over, _KEPT), (documents, _DOCUMENTS))]
        for name in {*old, *beyond[0], *beyond[1]}:
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._held.pop(name, None)
        self._results.drop(name)
