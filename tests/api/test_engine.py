"""The engine of the public API explains its queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep import Engine, Project
from support.command_line import HIGH, write_project


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine whose streams nobody reads."""

    class NoSpark:
        def stop(self) -> None:
            """There is nothing to stop."""

    monkeypatch.setattr("kaicep.pipeline.hosting.stream_reader.start_spark", lambda _: NoSpark())
    with Engine(Project.load(write_project(tmp_path))) as entered:
        yield entered


def test_a_query_that_waits_is_explained_as_it_would_be_answered(engine: Engine) -> None:
    handle = engine.submit(HIGH, label="high.chi")
    told = handle.explain().splitlines()
    assert told[0] == "query (unnamed): selection"
    assert "    filter on columns: ?e.flow > 50" in told


def test_iris_are_shortened_by_the_project_s_prefixes(engine: Engine) -> None:
    told = engine.submit("SELECT ?e.flow PATH { ?e ex:sensor ?s . ?s a ex:Sensor }").explain()
    assert "urn:ex:" not in told
    assert "ex:" in told
