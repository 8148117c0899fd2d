"""The moment that is asked about, and what has to be answered for it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from support.asked_engine import ASKED, BASE, TEXT, AskedEngine, batches, event


def test_the_moment_is_the_last_that_all_streams_know(tmp_path: Path) -> None:
    """S comes two seconds late, P comes in time; asking for both is asking of the earlier moment."""
    engine = AskedEngine(tmp_path, TEXT)
    with pytest.raises(PipelineError, match="no engine has answered"):
        engine.states.ask(ASKED[0])
    engine.deliver(S=[event("s", 9, "a", 1)])
    with pytest.raises(PipelineError, match="no event of 'P' has come"):
        engine.states.ask("SELECT ?x.id FROM (?x, STATE(both))")
    engine.deliver(P=[event("p", 8, "a", 1)])
    for asked, known in (("SELECT COUNT(?x) AS n FROM (?x, STATE(pairs))", 7), (ASKED[5], 8)):
        rows = engine.states.ask(asked)
        assert {row["_asked"] for row in rows} <= {BASE + timedelta(seconds=known, microseconds=-1)}
    engine.stop()


def test_the_end_of_the_streams_is_taken_back(tmp_path: Path) -> None:
    """What they would bring if they ended now is reported; the states are of what has come."""
    engine = AskedEngine(tmp_path, TEXT)
    for batch in batches():
        engine.deliver(**batch)
    before = list(engine.states.ask(ASKED[2]))
    engine.flow.finish()
    assert list(engine.states.ask(ASKED[2])) == before != []
    engine.stop()
