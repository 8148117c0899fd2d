"""Without an engine, states are as the last one has left them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import PipelineError
from kaicep.commands.clients.asking_client import ask_states
from kaicep.config import Settings

PAIRS = "CREATE QUERY pairs AS SELECT ?a.flow FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"


@pytest.fixture
def settings(project: Path) -> Settings:
    (project / "queries" / "pairs.chi").write_text(PAIRS)
    return Settings.load(project)


def test_what_no_engine_has_answered_has_no_state(settings: Settings) -> None:
    with pytest.raises(PipelineError, match="kaicep run it first"):
        ask_states(settings, "SELECT ?x.flow FROM (?x, STATE(pairs))", "query", print)
