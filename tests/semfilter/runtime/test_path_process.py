"""PATHs in a process of their own: the same answers, and an end where they take too long or too much."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.errors import CeilingError
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import ResidualQuery
from kaicep.semfilter.runtime import compiled_filter, path_process
from kaicep.semfilter.runtime.evaluate import KeyEvent
from kaicep.semfilter.runtime.path_process import PathProcess
from support.command_line import HANGING_SECONDS

MODEL = "".join(f"<urn:n{i}> <urn:p> <urn:n{i // 2}>; <urn:q> [ <urn:r> {i} ] ." for i in range(400))
KNOWLEDGE = KnowledgeBase.of_turtle(MODEL, reasoner="none")
ENDLESS = "?a ?b ?c . ?d ?f ?g . ?h ?i ?j . ?k ?l ?m . FILTER (STR(?a) = CONCAT(STR(?d), STR(?h), STR(?k)))"
NOBODY = KeyEvent(None, ())
STREAM = {
    "event_type": "<urn:E>",
    "time": {"attribute": "t"},
    "attributes": {"s": {"property": "<urn:src>", "individual": "<urn:{}>"}},
}
EVENTS = {"air": [{"t": f"2026-01-01T00:00:{i:02d}Z", "s": f"n{i}"} for i in range(40)]}
PATHS = (
    "SELECT ?e.s PATH { ?e <urn:src> ?s . ?s <urn:p>+ <urn:n3> }",
    "SELECT ?e.s, ?x PATH { ?e <urn:src> ?s . ?s <urn:q> ?b . ?b <urn:r> ?x }",
    "SELECT ?e.s PATH { ?e <urn:src> ?s . ?x <urn:p> ?s FILTER NOT EXISTS { ?x <urn:p> <urn:n4> } }",
)


def project(folder: Path, **engine: object) -> Project:
    (folder / "model.ttl").write_text(MODEL)
    knowledge = {"modules": ["model.ttl"], "reasoner": "none", "cache": "never"}
    return Project.parse({"knowledge": knowledge, "streams": {"air": STREAM}, "engine": engine}, root=folder)


def residual(body: str) -> ResidualQuery:
    return ResidualQuery("e", body, (), (), (), identified=False, classes=(), unbatchable=None, cost=1e12)


@pytest.mark.slow
@pytest.mark.parametrize("table", [0, 200_000])
def test_answers_are_the_same_as_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: int) -> None:
    """Bindings too, whether individuals are asked about ahead or as they come."""
    expected = [project(tmp_path, table_size=table).evaluate(text, EVENTS) for text in PATHS]
    asked = []
    ask = PathProcess._ask

    def noted(self: PathProcess, *args: object) -> object:
        asked.append(args)
        return ask(self, *args)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(compiled_filter, "KNOWN_SMALL", -1.0)
    monkeypatch.setattr(PathProcess, "_ask", noted)
    given = project(tmp_path, table_size=table, path_timeout=f"{HANGING_SECONDS}s")
    assert [given.evaluate(text, EVENTS) for text in PATHS] == expected
    assert len(asked) >= len(PATHS)


@pytest.mark.slow
def test_a_path_that_takes_too_long_is_ended_and_the_next_one_is_answered() -> None:
    process = PathProcess.of(KNOWLEDGE)
    with pytest.raises(CeilingError, match=r"this PATH takes longer than 0\.2 s: tie its triples closer"):
        process.evaluate(KNOWLEDGE, residual(ENDLESS), [NOBODY], 0.2, buffer=True)
    holds = residual("<urn:n1> <urn:p> <urn:n0>")
    found = process.evaluate(KNOWLEDGE, holds, [NOBODY], HANGING_SECONDS, buffer=True)
    assert found == [[()]]


@pytest.mark.slow
def test_what_is_evaluated_is_ended_from_another_thread() -> None:
    """As when an engine stops: nobody waits for the end of it."""
    process = PathProcess.of(KNOWLEDGE)
    process.evaluate(KNOWLEDGE, residual("?e ?p ?o"), [], HANGING_SECONDS, buffer=True)  # it has begun
    met: list[BaseException] = []

    def ask() -> None:
        try:
            process.evaluate(KNOWLEDGE, residual(ENDLESS), [NOBODY], HANGING_SECONDS, buffer=True)
        except CeilingError as error:
            met.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while asking.is_alive():
        PathProcess.end(KNOWLEDGE)
        asking.join(0.05)
    assert [str(error).startswith("the process of this PATH ended") for error in met] == [True]


@pytest.mark.long
def test_a_path_that_needs_too_much_memory_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_process, "MOST_MEMORY", 900_000_000)
    process, bindings = PathProcess(), tuple((name, ValueType.TERM) for name in "abcdfghij")
    large = replace(residual("?a ?b ?c . ?d ?f ?g . ?h ?i ?j"), bindings=bindings)
    with pytest.raises(CeilingError, match="it needs too much memory, or was stopped"):
        process.evaluate(KNOWLEDGE, large, [NOBODY], HANGING_SECONDS, buffer=True)


def test_solutions_are_counted_before_there_is_a_row_for_each(tmp_path: Path) -> None:
    """Each of the 40 events has two of them, but for n1, whose partners are n2 and n3, and n0, which has n0 and n1."""
    text = "SELECT ?e.s, ?x PATH { ?e <urn:src> ?s . ?x <urn:p> ?s }"
    allowed = project(tmp_path, rows_per_batch=80).evaluate(text, EVENTS)
    assert len(allowed) == 80
    with pytest.raises(CeilingError) as caught:
        project(tmp_path, rows_per_batch=79).evaluate(text, EVENTS)
    error = caught.value
    assert error.message == "this PATH has more than 79 solutions for the events of one batch"
    assert error.hint == "use fewer of its variables outside of it; or raise rows_per_batch in [engine]"
    assert error.place is not None
    assert (error.place.column, error.place.length) == (17, len(text) - 16)
