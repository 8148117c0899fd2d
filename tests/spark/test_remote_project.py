"""A project that was packed answers like the one that it was made of."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from cachetools import LRUCache
from kaicep import PipelineError, Project
from kaicep.spark import remote_project
from kaicep.spark.remote_project import RemoteProject, opened, packed
from support.living import project

OFFICES = "SELECT ?e.sensor AS sensor PATH {?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Office} FILTER (?e.flow < 5)"
READINGS = [{"sensor": f"s{i % 4}", "at": f"2026-01-01T00:00:{i:02d}Z", "flow": i / 2} for i in range(20)]


class Content:
    """What Spark has broadcast, and how often it was asked for."""

    def __init__(self, value: bytes) -> None:
        self._value, self.asked = value, 0

    @property
    def value(self) -> bytes:
        self.asked += 1
        return self._value


def test_it_answers_alike(tmp_path: Path) -> None:
    here = project(tmp_path, actions={"call": {"command": ["true"]}})
    there = opened(packed(here))
    rows = Project(there.settings, there.knowledge, there.annotators).evaluate(OFFICES, {"air": READINGS})
    assert rows == here.evaluate(OFFICES, {"air": READINGS})
    assert rows
    assert there.settings.actions == {}


def test_another_version_is_refused(tmp_path: Path) -> None:
    _, settings, closure = pickle.loads(packed(project(tmp_path)))  # noqa: S301 - our own
    with pytest.raises(PipelineError, match=r"the driver has kaicep 9\.9, and this executor .*PYSPARK_PYTHON"):
        opened(pickle.dumps(("9.9", settings, closure)))


def test_a_worker_opens_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_project, "_OPENED", LRUCache(4))
    content = Content(packed(project(tmp_path)))
    one = RemoteProject("d1", content)
    assert one.catalog is RemoteProject("d1", Content(b"")).catalog
    assert content.asked == 1
    for number in range(4):
        _ = RemoteProject(f"other-{number}", content).catalog
    _ = one.catalog
    assert content.asked == 6  # so many others are kept, and no more
