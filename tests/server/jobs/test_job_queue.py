"""Jobs are done in their turn, tell how far they are, and can be ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Event

import pytest
from kaicep.server.access import ClientIdentity, current_client
from kaicep.server.jobs import JobQueue, job_queue
from kaicep.server.jobs.job_queue import Job
from kaicep.server.problem import ProblemError
from support.long_work import double, doze, refuse

PATIENCE_S = 120.0


@pytest.fixture
def jobs() -> Iterator[JobQueue]:
    found = JobQueue(PATIENCE_S)
    yield found
    found.close()


def reached(jobs: JobQueue, job: Job, reached: Callable[[Job], bool]) -> Job:
    until = time.monotonic() + PATIENCE_S
    while not reached(found := jobs.job(job.id)):
        assert time.monotonic() < until, found
        time.sleep(0.02)
    return found


def over(job: Job) -> bool:
    return job.state not in ("waiting", "running")


def test_a_job_is_done_or_fails(jobs: JobQueue) -> None:
    doubled, refused = jobs.begin("double", double, 21), jobs.begin("refuse", refuse)
    found = reached(jobs, doubled, over)
    assert (found.state, found.progress, found.result, found.problem) == ("done", 1.0, {"double": 42}, None)
    failed = reached(jobs, refused, over)
    assert (failed.state, failed.result) == ("failed", None)
    assert failed.problem is not None
    assert (failed.problem["status"], failed.problem["detail"], failed.problem["hint"]) == (
        400,
        "it cannot be",
        "do without",
    )
    assert failed.problem["place"]["line"] == 2
    assert [(one.id, one.result) for one in jobs.jobs()] == [(refused.id, None), (doubled.id, None)]
    jobs.cancel(doubled.id)
    with pytest.raises(ProblemError, match="there is no job") as problem:
        jobs.job(doubled.id)
    assert problem.value.status == 404


def test_a_job_is_ended(jobs: JobQueue) -> None:
    job = jobs.begin("doze", doze)
    assert reached(jobs, job, lambda one: one.progress is not None).progress == 0.25
    jobs.cancel(job.id)
    assert jobs.job(job.id).state == "cancelled"


def test_a_change_that_has_begun_is_finished(jobs: JobQueue) -> None:
    """Whoever gave it up would not know whether it has happened."""
    begun, go = Event(), Event()

    def change() -> str:
        begun.set()
        assert go.wait(PATIENCE_S)
        return "changed"

    job = jobs.begin_call("upload", change)
    assert begun.wait(PATIENCE_S)
    with pytest.raises(ProblemError, match="a change that has begun is finished") as refused:
        jobs.cancel(job.id)
    assert refused.value.status == 409
    go.set()
    assert reached(jobs, job, over).result == "changed"
    jobs.cancel(job.id)


def test_one_that_takes_too_long_is_given_up() -> None:
    jobs = JobQueue(0.1)
    found = reached(jobs, jobs.begin("doze", doze), over)
    assert found.problem is not None
    assert (found.state, found.problem["detail"]) == ("failed", "not done within 0.1 s")
    jobs.close()


def test_no_more_are_taken_than_can_wait(jobs: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "_WAITING", 0)
    with pytest.raises(ProblemError, match="jobs wait already") as problem:
        jobs.begin("double", double, 1)
    assert (problem.value.status, problem.value.headers) == (429, {"Retry-After": "30"})


def test_one_client_s_jobs_leave_room_for_those_of_others(jobs: JobQueue) -> None:
    before = current_client.set(ClientIdentity("greedy", "read"))
    slow = [jobs.begin("doze", doze) for _ in range(5)]
    reached(jobs, slow[1], lambda one: one.state == "running")
    current_client.set(ClientIdentity("other", "read"))
    assert reached(jobs, jobs.begin("double", double, 4), over).result == {"double": 8}
    assert [jobs.job(one.id).state for one in slow] == ["running", "running", "waiting", "waiting", "waiting"]
    with pytest.raises(ProblemError, match="the job is of somebody else") as refused:
        jobs.cancel(slow[0].id)
    assert refused.value.status == 403
    current_client.set(ClientIdentity("operator", "admin"))
    jobs.cancel(slow[0].id)
    reached(jobs, slow[2], lambda one: one.state == "running")
    current_client.reset(before)
