"""The status as a file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep import PipelineError
from kaicep.pipeline.monitoring import read_status, status_bytes, status_file, status_of
from support.statuses import busy_engine

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_status_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_status(tmp_path) is None
    status_file(tmp_path).write_bytes(status_bytes(busy_engine(NOW)))
    assert read_status(tmp_path) == busy_engine(NOW)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2", b'{"state": "asleep"}', b"\xff\xfe"])
def test_what_is_no_status_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    status_file(tmp_path).write_bytes(content)
    with pytest.raises(PipelineError, match=r"is no status of this version of kaicep.*a running engine writes it anew"):
        read_status(tmp_path)


def test_a_status_of_another_process_is_read_from_its_json() -> None:
    assert status_of(json.loads(status_bytes(busy_engine(NOW)))) == busy_engine(NOW)
    with pytest.raises(PipelineError, match="the server tells no status of this version of kaicep"):
        status_of({"state": "asleep"})
