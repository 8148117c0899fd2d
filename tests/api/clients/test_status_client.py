"""The status of an engine that runs, has ended, or was killed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from kaicep import PipelineError
from kaicep.api.clients.status_client import known_status
from kaicep.config import Settings
from kaicep.pipeline.control import Requests, folder_of
from kaicep.pipeline.monitoring import EngineStatus, status_bytes, status_file
from support.statuses import busy_engine


@pytest.fixture
def settings(project: object) -> Settings:
    return Settings.load(str(project))


def say(settings: Settings, status: EngineStatus) -> None:
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(status_bytes(status))


def test_a_project_without_a_status_was_never_run(settings: Settings) -> None:
    with pytest.raises(PipelineError, match=r"no engine has run this project.*kaicep run"):
        known_status(settings)


def test_one_that_runs_is_believed(settings: Settings) -> None:
    say(settings, busy_engine(datetime.now(UTC) - timedelta(seconds=30)))
    requests = Requests(folder_of(settings))
    requests.serve()
    try:
        known = known_status(settings)
    finally:
        requests.lock.release()
    assert (known.state, known.lives) == ("running", True)
    assert 30 <= known.age < 30 + 60


def test_one_that_ended_without_a_word_was_killed(settings: Settings) -> None:
    status = busy_engine(datetime.now(UTC))
    say(settings, status)
    assert known_status(settings).state == "killed"
    say(settings, replace(status, state="stopped"))
    assert known_status(settings).state == "stopped"
