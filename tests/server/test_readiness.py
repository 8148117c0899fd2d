"""A server is ready when its engine has recovered, and says so again and again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from kaicep.config import Settings
from kaicep.pipeline.control import Requests, folder_of
from kaicep.pipeline.monitoring import EngineStatus, status_bytes, status_file
from kaicep.server.engine_process import EngineProcess
from kaicep.server.readiness import Readiness, readiness_of
from support.command_line import wait_for
from support.statuses import busy_engine


@contextmanager
def lock_of_engine(settings: Settings) -> Iterator[None]:
    """As an engine holds it from its start on, also while it recovers."""
    requests = Requests(folder_of(settings))
    requests.serve()
    try:
        yield
    finally:
        requests.lock.release()


def write(settings: Settings, status: EngineStatus) -> None:
    file = status_file(settings.path(settings.engine.state))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(status_bytes(status))


@pytest.fixture
def own() -> Iterator[EngineProcess]:
    """A process that this server has begun as its engine."""
    engine = EngineProcess(["sleep", "60"], lambda: False, lambda _: None)
    engine.start()
    wait_for(lambda: engine.process is not None)
    yield engine
    engine.stop()


def now() -> EngineStatus:
    return busy_engine(datetime.now(UTC))


def test_without_an_engine_of_its_own_it_is_ready_at_once(settings: Settings) -> None:
    assert readiness_of(settings, None) == Readiness(ready=True)


def test_it_waits_for_the_first_word_of_an_engine(settings: Settings, own: EngineProcess) -> None:
    assert readiness_of(settings, own) == Readiness(ready=False, reason="the engine begins")
    with lock_of_engine(settings):
        assert readiness_of(settings, None) == Readiness(ready=False, reason="the engine begins")


def test_the_words_of_an_earlier_engine_do_not_count(settings: Settings, own: EngineProcess) -> None:
    write(settings, replace(now(), process=1))
    with lock_of_engine(settings):
        assert readiness_of(settings, own) == Readiness(ready=False, reason="the engine recovers")
    write(settings, replace(now(), state="stopped"))
    with lock_of_engine(settings):
        assert readiness_of(settings, None) == Readiness(ready=False, reason="the engine recovers")


def test_it_is_ready_when_the_engine_says_that_it_runs(settings: Settings, own: EngineProcess) -> None:
    write(settings, replace(now(), process=own.process or 0))
    with lock_of_engine(settings):
        assert readiness_of(settings, own) == Readiness(ready=True)
        assert readiness_of(settings, None) == Readiness(ready=True)
    assert readiness_of(settings, own) == Readiness(ready=False, reason="the engine begins")


def test_it_is_ready_when_streams_are_read(settings: Settings) -> None:
    """Before that, what is posted is taken, and nothing comes of it."""
    write(settings, replace(now(), reads=False))
    with lock_of_engine(settings):
        found = readiness_of(settings, None)
    assert found == Readiness(ready=False, reason="the engine has recovered, and starts Spark")


def test_an_engine_that_falls_silent_is_none(settings: Settings) -> None:
    write(settings, busy_engine(datetime.now(UTC) - timedelta(seconds=90)))
    with lock_of_engine(settings):
        assert readiness_of(settings, None) == Readiness(ready=False, reason="the engine has said nothing for 90 s")


def test_an_engine_that_ended_is_told(settings: Settings) -> None:
    engine = EngineProcess(["sh", "-c", "exit 4"], lambda: False, lambda _: None, first_pause=30)
    engine.start()
    wait_for(lambda: engine.ended != "")
    write(settings, replace(now(), state="failed"))
    assert readiness_of(settings, engine).reason == "the engine has ended, exit code 4; it is begun again"
    engine.stop()
