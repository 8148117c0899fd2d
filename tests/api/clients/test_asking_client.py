"""States are asked of the engine that runs, else of what the last one has left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.api.clients.asking_client import ask_states
from kaicep.errors import PipelineError, QueryTypeError
from support.asked_engine import ASKED, TEXT, AskedEngine, batches
from support.command_line import call


def test_the_answer_is_that_of_the_engine_whether_it_runs_or_not(tmp_path: Path) -> None:
    engine = AskedEngine(tmp_path, TEXT)
    settings = engine.project.settings
    with pytest.raises(PipelineError, match="kaicep run it first"):
        ask_states(settings, ASKED[2], "asked.chi", print)
    for batch in batches():
        engine.deliver(**batch)
    expected = list(engine.states.ask(ASKED[2]))
    assert list(ask_states(settings, ASKED[2], "asked.chi", print)) == expected != []
    engine.stop()
    assert list(ask_states(settings, ASKED[2], "asked.chi", print)) == expected
    with pytest.raises(QueryTypeError, match=r"asked\.chi:1:30: no query 'pears' is registered"):
        ask_states(settings, "SELECT ?x.id FROM (?x, STATE(pears))", "asked.chi", print)


def test_the_command_prints_rows_in_the_form_that_is_asked_for(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = call("ask", "SELECT ?x.flow FROM (?x, STATE(high))", project)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "kaicep run it first" in refused.stderr
    engine = AskedEngine(project, TEXT)
    for batch in batches():
        engine.deliver(**batch)
    rows = engine.states.ask("SELECT COUNT(?x) AS n FROM (?x, STATE(counts))")
    engine.stop()
    monkeypatch.setattr("kaicep.api.clients.ask_states", lambda *_: rows)
    printed = call("ask", "SELECT COUNT(?x) AS n FROM (?x, STATE(counts))", project, "--format", "csv").stdout
    assert printed.splitlines()[0].startswith("n,_time")
    assert json.loads(call("ask", "SELECT …", "-p", project).stdout)["n"] == rows[0]["n"]
