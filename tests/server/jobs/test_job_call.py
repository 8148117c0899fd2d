"""A job of one of the server's processes knows who asked, and is given up before it begins, or in its midst."""

from __future__ import annotations

import pytest
from kaicep.server.access import ClientIdentity, current_client
from kaicep.server.jobs.job_call import JobCall
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import WatchedCall
from kaicep.storage import untold


def test_it_is_done_for_who_asked() -> None:
    before = current_client.set(ClientIdentity("ada", "admin"))
    call = JobCall(lambda _: current_client.get().name)
    current_client.reset(before)
    assert call.run(0.0, untold) == "ada"


def test_it_tells_how_far_it_is() -> None:
    told: list[tuple[str, float]] = []
    JobCall(lambda watch: watch.hear("parsing", 0.5)).run(0.0, lambda *at: told.append(at))
    assert told == [("parsing", 0.5)]


def test_one_that_was_given_up_is_not_begun() -> None:
    done: list[WatchedCall] = []
    call = JobCall(done.append)
    assert call.cancel()
    with pytest.raises(ProblemError, match="it was cancelled"):
        call.run(0.0, untold)
    assert done == []
