"""The manifest: what counts after a batch."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sharding.hosted_queries import StatePlace
from kaicep.pipeline.sharding.hosting_state import HostingState, read_manifest, write_manifest

STATE = HostingState(
    "plan",
    7,
    {"P": (datetime(2024, 1, 1, 0, 0, 0, 5, tzinfo=UTC), None), "Q": (None, None)},
    (StatePlace("a.parts", "q", 0), StatePlace("b.parts", "q", 1)),
    {("P", 0): "c.parts"},
    "d.parts",
)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_manifest(tmp_path, STATE)
    assert read_manifest(tmp_path, "plan") == STATE
    assert STATE.files == {"a.parts", "b.parts", "c.parts", "d.parts"}


def test_without_a_manifest_nothing_has_come(tmp_path: Path) -> None:
    assert read_manifest(tmp_path, "plan") == HostingState("plan")
    assert HostingState("plan").files == frozenset()


def test_a_manifest_of_other_queries_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, STATE)
    with pytest.raises(PipelineError, match=r"manifest\.json is of other queries .*begin with an empty folder"):
        read_manifest(tmp_path, "another")
