"""Jobs are done in their turn, tell how far they are, and can be ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest
from kaicep.server.access import ClientIdentity, current_client
from kaicep.server.jobs import JobKind, JobQueue, job_queue
from kaicep.server.jobs.job_queue import Job
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import Document, WatchedCall
from support.long_work import double, doze, refuse

PATIENCE_S = 120.0
DOUBLE, DOZE = JobKind("double", {"doubling": 1.0}), JobKind("doze", {"dozing": 1.0})
REFUSE, UPLOAD = JobKind("refuse", {}), JobKind("upload", {"parsing": 0.2, "reasoning": 0.5, "writing": 0.3})


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[JobQueue]:
    found = JobQueue(PATIENCE_S, tmp_path / "jobs")
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
    doubled, refused = jobs.begin(DOUBLE, double, 21), jobs.begin(REFUSE, refuse)
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
    job = jobs.begin(DOZE, doze)
    assert reached(jobs, job, lambda one: one.progress is not None).progress == 0.25
    jobs.cancel(job.id)
    assert jobs.job(job.id).state == "cancelled"


def test_a_change_is_given_up_until_it_changes_something(jobs: JobQueue) -> None:
    """Then it is finished: whoever gave it up would not know whether it has happened."""
    heard, go = {stage: Event() for stage in ("parsing", "writing")}, Event()

    def change(watch: WatchedCall) -> str:
        for stage, event in heard.items():
            watch.hear(stage, 0.0)
            event.set()
            assert go.wait(PATIENCE_S)
        return "changed"

    given_up = jobs.begin_call(UPLOAD, change, "urn:g")
    assert heard["parsing"].wait(PATIENCE_S)
    jobs.cancel(given_up.id)
    go.set()
    assert jobs.job(given_up.id).state == "cancelled"

    heard, go = {stage: Event() for stage in ("parsing", "writing")}, Event()
    job = jobs.begin_call(UPLOAD, change, "urn:g")
    assert heard["parsing"].wait(PATIENCE_S)
    go.set()
    assert heard["writing"].wait(PATIENCE_S)
    go.clear()
    assert (jobs.job(job.id).about, jobs.job(job.id).kind) == ("urn:g", "upload")
    assert reached(jobs, job, over).result == "changed"


def test_a_change_that_has_begun_is_finished(jobs: JobQueue) -> None:
    begun, go = Event(), Event()

    def change(watch: WatchedCall) -> str:
        watch.hear("writing", 0.0)
        begun.set()
        assert go.wait(PATIENCE_S)
        return "changed"

    job = jobs.begin_call(UPLOAD, change)
    assert begun.wait(PATIENCE_S)
    with pytest.raises(ProblemError, match="a change that has begun is finished") as refused:
        jobs.cancel(job.id)
    assert refused.value.status == 409
    go.set()
    assert reached(jobs, job, over).result == "changed"
    jobs.cancel(job.id)


def test_progress_moves_on_and_is_whole_only_in_the_end(jobs: JobQueue) -> None:
    """Of a stage that has no weight the name is told; one that comes again takes nothing back."""
    told: list[tuple[str | None, float | None]] = []
    at = [("waiting", 0.0), ("parsing", 0.5), ("parsing", 1.0), ("reasoning", 0.0), ("elsewhere", 0.9)]
    at += [("parsing", 0.1), ("writing", 0.5), ("writing", 1.0)]

    begun = Event()

    def change(watch: WatchedCall) -> None:
        assert begun.wait(PATIENCE_S)
        for stage, share in at:
            watch.hear(stage, share)
            now = jobs.job(job.id)
            told.append((now.stage, now.progress))

    job = jobs.begin_call(UPLOAD, change)
    begun.set()
    done = reached(jobs, job, over)
    assert [stage for stage, _ in told] == [stage for stage, _ in at]
    shares = [share for _, share in told]
    assert shares == [None, *map(pytest.approx, (0.1, 0.2, 0.2, 0.2, 0.2, 0.85, 0.99))]
    assert (done.state, done.progress, done.stage) == ("done", 1.0, None)


def test_a_document_waits_in_a_file(jobs: JobQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of so many the oldest is forgotten, and all of them when the server ends."""
    monkeypatch.setattr(job_queue, "_DOCUMENTS", 1)
    first = jobs.begin_call(UPLOAD, lambda _: Document("text/csv", b"first"))
    reached(jobs, first, over)
    second = jobs.begin_call(UPLOAD, lambda _: Document("text/csv", b"n\r\n1"))
    done = reached(jobs, second, over)
    assert done.result == {"media_type": "text/csv", "bytes": 4}
    file = jobs.document(second.id)
    assert file is not None
    assert file.read_bytes() == b"n\r\n1"
    assert [one.id for one in jobs.jobs()] == [second.id]
    assert len(list((tmp_path / "jobs").rglob("*"))) == 2
    jobs.close()
    assert list((tmp_path / "jobs").iterdir()) == []


def test_whoever_asks_for_a_job_of_before_hears_when_this_server_began(jobs: JobQueue) -> None:
    with pytest.raises(ProblemError, match="there is no job 'gone'") as unknown:
        jobs.job("gone")
    assert unknown.value.status == 404
    assert unknown.value.error.hint is not None
    assert f"this server, which began at {jobs._began:%Y-%m-%d %H:%M:%S} UTC" in unknown.value.error.hint


def test_one_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    jobs = JobQueue(0.1, tmp_path)
    found = reached(jobs, jobs.begin(DOZE, doze), over)
    assert found.problem is not None
    assert (found.state, found.problem["detail"]) == ("failed", "not done within 0.1 s")
    jobs.close()


def test_no_more_are_taken_than_can_wait(jobs: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_queue, "_WAITING", 0)
    with pytest.raises(ProblemError, match="jobs wait already") as problem:
        jobs.begin(DOUBLE, double, 1)
    assert (problem.value.status, problem.value.headers) == (429, {"Retry-After": "30"})


def test_one_client_s_jobs_leave_room_for_those_of_others(jobs: JobQueue) -> None:
    before = current_client.set(ClientIdentity("greedy", "read"))
    slow = [jobs.begin(DOZE, doze) for _ in range(5)]
    reached(jobs, slow[1], lambda one: one.state == "running")
    current_client.set(ClientIdentity("other", "read"))
    assert reached(jobs, jobs.begin(DOUBLE, double, 4), over).result == {"double": 8}
    assert [jobs.job(one.id).state for one in slow] == ["running", "running", "waiting", "waiting", "waiting"]
    with pytest.raises(ProblemError, match="the job is of somebody else") as refused:
        jobs.cancel(slow[0].id)
    assert refused.value.status == 403
    current_client.set(ClientIdentity("operator", "admin"))
    jobs.cancel(slow[0].id)
    reached(jobs, slow[2], lambda one: one.state == "running")
    current_client.reset(before)
