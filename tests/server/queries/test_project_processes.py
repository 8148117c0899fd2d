"""What takes too long is ended, and others go on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kaicep.config import Settings
from kaicep.server.problem import ProblemError
from kaicep.server.queries import ProjectProcesses
from kaicep.settings import ServerSettings
from support.long_work import rest


@pytest.fixture
def processes(plain: Settings) -> Iterator[ProjectProcesses]:
    server = ServerSettings.model_validate({"query_timeout": "200ms", "upload_timeout": "100ms"})
    found = ProjectProcesses(plain.model_copy(update={"server": server}))
    yield found
    found.close()


@pytest.mark.long
def test_what_takes_too_long_is_given_up(processes: ProjectProcesses) -> None:
    with pytest.raises(ProblemError) as problem:
        processes.ask(rest, 600.0)  # what loads the project is not counted
    assert problem.value.status == 503
    assert "no answer within 0.2 s" in str(problem.value.error)


def test_one_change_at_a_time(processes: ProjectProcesses) -> None:
    with processes._writing._changing, pytest.raises(ProblemError, match="another change is at work") as problem:
        processes.change(rest, 0.0)
    assert problem.value.headers == {"Retry-After": "5"}
