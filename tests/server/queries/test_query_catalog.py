"""What is registered is read again when something of it has changed, and only then."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Any

import pyoxigraph as ox
import pytest
from kaicep.api.clients import submit, withdraw
from kaicep.config import Settings
from kaicep.pipeline.control import folder_of
from kaicep.pipeline.monitoring import QueryStatus, status_file
from kaicep.server.problem import ProblemError
from kaicep.server.queries import ProjectProcesses, QueryCatalog, query_catalog
from support.command_line import HIGH
from support.receivers import eventually


class Processes(ProjectProcesses):
    """Does what is asked here, and counts."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.given, self.asked = settings, 0

    def ask(self, do: Callable[..., Any], *args: Any, **named: Any) -> Any:
        self.asked += 1
        return do(ox.Store(), self.given, *args, **named)


def test_it_is_read_again_when_it_has_changed(settings: Settings) -> None:
    processes = Processes(settings)
    catalog = QueryCatalog(settings, processes)
    for _ in range(3):
        assert [one.label for one in catalog.queries()] == ["high"]
    assert processes.asked == 1
    submit(settings, f"CREATE QUERY hot AS {HIGH}", None, None)
    assert [one.label for one in catalog.queries()] == ["high", "hot"]
    withdraw(settings, "hot")
    assert [one.label for one in catalog.queries()] == ["high"]
    (settings.root / "queries" / "high.chi").write_text(f"CREATE QUERY highest AS {HIGH}")
    assert [one.label for one in catalog.queries()] == ["highest"]
    assert processes.asked == 4
    assert catalog.query("highest").named
    with pytest.raises(ProblemError, match="no query 'higest' is registered") as problem:
        catalog.query("higest")
    assert (problem.value.status, problem.value.error.hint) == (404, "did you mean 'highest'?")


def test_who_comes_while_it_is_read_has_the_next_answer_together(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To ask whether an engine lives takes a tenth of a second: 200 readers of rows would take all threads for long."""
    catalog, asked, first, go = QueryCatalog(settings, Processes(settings)), list[int](), Event(), Event()

    def lives(_: Settings) -> bool:
        asked.append(1)
        first.set()
        assert go.wait(30)
        return False

    monkeypatch.setattr(query_catalog, "engine_lives", lives)
    with ThreadPoolExecutor(20) as pool:
        found = [pool.submit(catalog.queries)]
        assert first.wait(30)
        found += [pool.submit(catalog.queries) for _ in range(19)]
        assert eventually(pool._work_queue.empty)  # all of them have come
        go.set()
        assert [[one.label for one in each.result()] for each in found] == [["high"]] * 20
    assert len(asked) <= 3


def test_what_was_withdrawn_after_the_last_status_is_there_no_more(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the engine has told of it; of what it tells afterwards all is known."""
    told = SimpleNamespace(
        status=SimpleNamespace(queries={name: QueryStatus("running", 3) for name in ("high", "hot")})
    )
    monkeypatch.setattr(query_catalog, "engine_lives", lambda _: True)
    monkeypatch.setattr(query_catalog, "known_status", lambda _: told)
    documents = folder_of(settings) / "documents"
    documents.mkdir(parents=True)
    status = status_file(settings.path(settings.engine.state))
    status.touch()
    os.utime(status, ns=(0, documents.stat().st_mtime_ns - 1))
    catalog = QueryCatalog(settings, Processes(settings))
    assert [(one.label, one.matches) for one in catalog.queries()] == [("high", 3)]
    os.utime(status, ns=(0, documents.stat().st_mtime_ns + 1))
    assert [one.label for one in catalog.queries()] == ["high", "hot"]
