"""Questions to a running engine go to a process of their own: the same answers, and errors with their places."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from kaicep.errors import PipelineError, QueryTypeError
from kaicep.pipeline.asking import AskingProcess, ask_stopped
from kaicep.pipeline.asking import asking_process as module
from support.asked_engine import ASKED, TEXT, AskedEngine, batches
from support.receivers import eventually


@pytest.fixture
def engine(tmp_path: Path) -> AskedEngine:
    """One that has done a batch, and has stopped."""
    made = AskedEngine(tmp_path, TEXT)
    made.deliver(**next(batches()))
    made.stop()
    return made


def test_answers_and_errors_are_those_of_this_process(engine: AskedEngine) -> None:
    process = AskingProcess(print)
    for asked in ASKED[:3]:
        expected = ask_stopped(engine.project, asked, "query", engine.queries, print)
        assert process.ask(engine.project, engine.queries, asked, "query").table == expected.table
    with pytest.raises(QueryTypeError, match=r"pears\.chi:1:") as error:
        process.ask(engine.project, engine.queries, "SELECT ?x FROM (?x, STATE(pears))", "pears.chi")
    assert error.value.hint
    process.close()


def test_it_goes_on_with_the_knowledge_in_force_and_begins_anew_where_it_has_ended(engine: AskedEngine) -> None:
    process = AskingProcess(print)
    first = process.ask(engine.project, engine.queries, ASKED[0], "query")
    before = process._child
    assert before is not None
    other = engine.project.with_knowledge(type(engine.project.knowledge).of_turtle("", reasoner="none"))
    assert process.ask(other, engine.queries, ASKED[0], "query").table == first.table
    assert not before.runs
    process.close()
    assert process.ask(engine.project, engine.queries, ASKED[0], "query").table == first.table
    process.close()


def test_one_that_ends_meanwhile_is_told(engine: AskedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    process = AskingProcess(print)
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(PipelineError, match="does not start"):
        process.ask(engine.project, engine.queries, ASKED[0], "query")


def test_what_nobody_expected_is_an_error_that_is_told(engine: AskedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(module, "ask_stopped", fails)
    found, said = module.answered(engine.project, ASKED[0], "query", engine.queries)
    assert isinstance(found, dict)
    assert "ZeroDivisionError" in found["message"]
    assert said == []


def test_a_batch_that_is_at_work_all_the_time_holds_up_no_answer(engine: AskedEngine) -> None:
    process = AskingProcess(print)
    expected = process.ask(engine.project, engine.queries, ASKED[0], "query").table
    assert process._child is not None
    stopped = psutil.Process(process._child._process.pid)
    with process.standing_still():
        assert eventually(lambda: stopped.status() == psutil.STATUS_STOPPED, 10)
        assert process.ask(engine.project, engine.queries, ASKED[0], "query").table == expected
    process.close()
    with process.standing_still():  # there is none
        assert process._child is None
