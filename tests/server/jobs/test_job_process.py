"""A process that ends by itself is told, and one that was ended is another thing."""

from __future__ import annotations

import pytest
from kaicep.server.jobs.job_process import JobProcess
from kaicep.server.problem import ProblemError
from kaicep.storage import untold
from support.long_work import end


def test_a_process_that_ends_is_told() -> None:
    with pytest.raises(ProblemError) as problem:
        JobProcess(end).run(120.0, untold)
    assert problem.value.status == 503
    assert "needs too much memory, or was stopped" in str(problem.value.error)


def test_one_that_was_cancelled_before_it_began_does_nothing() -> None:
    process = JobProcess(end)
    process.cancel()
    with pytest.raises(ProblemError, match="it was cancelled"):
        process.run(120.0, untold)
