"""States come from the log, if it has all that they may hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.asking import ask_stopped
from kaicep.pipeline.durability import StateReplay
from support.asked_engine import ASKED, TEXT, AskedEngine, batches


def test_a_log_that_has_forgotten_what_is_held_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = AskedEngine(tmp_path, TEXT)
    engine.deliver(**next(batches()))
    engine.stop()
    monkeypatch.setattr(StateReplay, "whole", False)
    with pytest.raises(PipelineError, match=r"forgotten.*log_age"):
        ask_stopped(engine.project, ASKED[0], "query", engine.queries, print)
