"""What tests of clients share."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One stream of readings, one query, recorded events in `events.jsonl`."""
    return write_project(tmp_path)
