"""States as an engine has left them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import PipelineError, QueryTypeError
from kaicep.pipeline.asking import ask_stopped
from support.asked_engine import ASKED, TEXT, AskedEngine, batches


def test_only_what_was_registered_has_a_state(tmp_path: Path) -> None:
    """Nothing is written, and nothing is known before the first batch."""
    engine = AskedEngine(tmp_path, TEXT)
    with pytest.raises(PipelineError, match="kaicep run it first"):
        ask_stopped(engine.project, ASKED[0], "query", engine.queries, print)
    engine.deliver(**next(batches()))
    expected = list(engine.states.ask(ASKED[0]))
    engine.stop()
    before = sorted(tmp_path.rglob("*"))
    assert list(ask_stopped(engine.project, ASKED[0], "query", engine.queries, print)) == expected
    assert sorted(tmp_path.rglob("*")) == before
    others = [one for one in engine.queries if one.label != "pairs"]
    with pytest.raises(QueryTypeError, match="no query 'pairs' is registered"):
        ask_stopped(engine.project, ASKED[0], "query", others, print)
