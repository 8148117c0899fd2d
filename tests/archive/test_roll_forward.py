"""The store brought up to the log without an engine, and out of an engine's way."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from kaicep.archive import Archive, open_read_view, roll_store_forward
from kaicep.archive import roll_forward as module
from kaicep.archive.sync import Lag, StoreWriter
from kaicep.ontology import KnowledgeBase
from support.archives import KNOWLEDGE, SHAPE, STREAM, opened, project, rows
from support.found import COUNT_MATCHES, fill_with_matches

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


def roll(root: Path, told: list[float], timeout: float | None = None) -> bool:
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")
    return roll_store_forward(project(root), knowledge, {STREAM: SHAPE}, told.append, timeout)


@pytest.fixture
def behind(tmp_path: Path) -> Path:
    """An archive of 120 events and as many matches, of which its store has none."""
    with opened(tmp_path) as archive:
        archive.flush()
    with opened(tmp_path, store=False) as archive:
        fill_with_matches(archive)
    return tmp_path


def test_the_store_gets_the_events_matches_and_knowledge_that_it_lacks(behind: Path) -> None:
    told: list[float] = []
    assert roll(behind, told)
    assert told[-1] == 0
    with open_read_view(project(behind)) as reader:
        assert reader.lag == Lag(0, 0)
        assert rows(reader, COUNT) == [(120,)]
        assert rows(reader, COUNT_MATCHES) == [(120,)]
        assert rows(reader, "SELECT ?r { e:s0 e:in ?r }") == [("http://e/Room1",)]
    assert roll(behind, told)


def test_what_takes_too_long_is_left(behind: Path) -> None:
    assert not roll(behind, [], timeout=0.0)
    with open_read_view(project(behind)) as reader:
        assert reader.lag == Lag(3, 120, 120)


def test_beside_an_engine_nothing_is_done(behind: Path) -> None:
    told: list[float] = []
    with opened(behind) as engine:
        assert not roll(behind, told)
        engine.flush()
        assert rows(engine, COUNT) == [(120,)]
    assert told == []


def test_an_engine_that_starts_takes_over(behind: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for the load at work, and for no more."""
    engines: list[Archive] = []
    starting = threading.Thread(target=lambda: engines.append(opened(behind)))
    told: list[float] = []
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")

    def tell(left: float) -> None:
        told.append(left)
        starting.start()

    with monkeypatch.context() as patch:
        patch.setattr(StoreWriter, "flush", lambda *_: False)  # there is always more to write
        patch.setattr(module, "sleep", lambda _: starting.join())
        assert not roll_store_forward(project(behind), knowledge, {STREAM: SHAPE}, tell)
    assert len(told) == 1
    with engines[0] as engine:
        engine.flush()
        assert rows(engine, COUNT) == [(120,)]
