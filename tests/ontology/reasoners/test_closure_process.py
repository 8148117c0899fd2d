"""Closing elsewhere gives what closing here gives, refusals included."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from kaicep.errors import OntologyError, PipelineError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import USUAL_LIMITS, close_in_process
from support.prefixes import turtle_head

PREFIXES = {"": "urn:", "owl": "http://www.w3.org/2002/07/owl#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
SCHEMA = """:Office rdfs:subClassOf :Room , [ a owl:Restriction ; owl:onProperty :in ; owl:someValuesFrom :Building ] .
:Room owl:disjointWith :Person . :r1 a :Office ; rdfs:label "Büro \\"1\\""@de . """


def modules(*texts: str) -> list[Module]:
    head = turtle_head(PREFIXES)
    return [Module.parse(f"{i}.ttl", (head + text).encode()) for i, text in enumerate(texts)]


@pytest.mark.parametrize("reasoner", ["rl", "none"])
def test_the_closure_is_the_same(reasoner: str) -> None:
    """Blank nodes keep their names, too."""
    given = modules(SCHEMA, ":r2 a :Office .")
    here = KnowledgeBase(given, reasoner)  # type: ignore[arg-type]  # one of its literals
    there = KnowledgeBase(given, reasoner, closing=close_in_process)  # type: ignore[arg-type]  # likewise
    assert set(there.store) == set(here.store)
    assert there.inferred == here.inferred


def test_a_contradiction_is_told_in_the_same_words() -> None:
    given = modules(SCHEMA, ":r1 a :Person .")
    with pytest.raises(OntologyError) as here:
        KnowledgeBase(given, "rl", PREFIXES)
    with pytest.raises(OntologyError) as there:
        KnowledgeBase(given, "rl", PREFIXES, close_in_process)
    assert str(there.value) == str(here.value)


def test_as_much_may_follow_there_as_here() -> None:
    given = modules(" ".join(f":a owl:sameAs :b{n} ." for n in range(5)))
    for names, refused in ((5, True), (6, False)):
        limits = replace(USUAL_LIMITS, names_per_thing=names)
        with pytest.raises(OntologyError, match="at most 5 can be") if refused else nullcontext():
            KnowledgeBase(given, "rl", PREFIXES, close_in_process, limits=limits)


def test_a_process_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(OntologyError) as error:
        close_in_process([], "rl", {}, USUAL_LIMITS)
    assert str(error.value) == "the reasoner's process ended without an answer: exit code 1: try it again"


def test_one_that_takes_too_long_is_ended() -> None:
    with pytest.raises(
        OntologyError, match=r"what follows from the modules was not found in 0\.01 s: let them say less"
    ):
        close_in_process(modules(SCHEMA), "rl", PREFIXES, USUAL_LIMITS, seconds=0.01)


def test_it_tells_how_far_it_is() -> None:
    told: list[tuple[str, float]] = []
    close_in_process(modules(SCHEMA), "rl", PREFIXES, USUAL_LIMITS, told=lambda *at: told.append(at))
    assert list(dict.fromkeys(told)) == [("reasoning", 0.0), ("contradictions", 0.0)]


def test_whoever_wants_it_no_more_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a second, whatever it is at."""
    processes: list[subprocess.Popen[bytes]] = []
    begun = subprocess.Popen

    def begin(*words: Any, **how: Any) -> Any:
        processes.append(begun(*words, **how))
        return processes[-1]

    def unwanted(stage: str, share: float) -> None:
        raise PipelineError(f"nobody wants it: {stage} {share}")

    monkeypatch.setattr(subprocess, "Popen", begin)
    with pytest.raises(PipelineError, match=r"nobody wants it: reasoning 0\.0"):
        close_in_process(modules(SCHEMA), "rl", PREFIXES, USUAL_LIMITS, told=unwanted)
    (process,) = processes
    assert process.returncode == -signal.SIGKILL
