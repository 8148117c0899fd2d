"""What cannot be asked is told with a fitting status."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.pipeline.control import SilentEngineError
from kaicep.server.jobs.asked_states import ask_once
from kaicep.server.plain_json import plain_value
from kaicep.server.problem import ProblemError
from support.asked_engine import stopped_engine

ASK = "SELECT COUNT(?p) AS n FROM (?p, STATE(high))"


@pytest.mark.parametrize(("text", "status"), [("SELECT", 422), (ASK, 409)])
def test_what_cannot_be_asked(plain: Settings, text: str, status: int) -> None:
    with pytest.raises(ProblemError) as problem:
        ask_once(ox.Store(), plain, text)
    assert problem.value.status == status


def test_rows_are_told_as_json_has_them(tmp_path: Path) -> None:
    asked = "SELECT ?p._until AS until FROM (?p, PARTIAL(again))"
    settings, expected = stopped_engine(tmp_path, asked)
    found = ask_once(ox.Store(), settings, asked)
    assert [row["until"] for row in found.rows] == [plain_value(row["until"]) for row in expected] != []


def test_an_engine_that_does_not_answer(plain: Settings) -> None:
    silent = SilentEngineError("the engine ended before it answered")
    with (
        patch("kaicep.server.jobs.asked_states.ask_states", side_effect=silent),
        pytest.raises(ProblemError) as problem,
    ):
        ask_once(ox.Store(), plain, ASK)
    assert problem.value.status == 503
