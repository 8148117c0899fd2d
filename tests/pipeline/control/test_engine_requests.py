"""What rules ask of a running engine: knowledge that judges the next batch, queries that come and go."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kaicep import Engine
from kaicep.errors import PipelineError
from kaicep.ontology.modules import RULES, RuleStatement
from kaicep.ontology.proofs import Prover
from kaicep.pipeline.actions import Outbox, outbox_folder
from kaicep.pipeline.control.engine_requests import EngineRequests
from kaicep.pipeline.control.knowledge_admin import KnowledgeAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.knowledge import modules_in_force
from support.living import IN_OFFICES, project, sensors_of
from support.ontologies import closed_here
from support.receivers import calls_table, eventually

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
MOVED = "INSERT DATA { <urn:ex:r2> <urn:ex:was> 'moved' }"


def stated(key: str, update: str) -> RuleStatement:
    return RuleStatement("moves", key, update)


def test_what_a_rule_states_judges_the_next_batch_once_and_after_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kaicep.pipeline.control.knowledge_admin.close_in_process", closed_here)
    into_office = stated("1", "INSERT DATA { <urn:ex:s2> <urn:ex:in> <urn:ex:r1> }")
    one = stated("2", "INSERT DATA { <urn:a> <urn:n> 1 }")
    more = stated("3", "DELETE { ?s <urn:n> ?n } INSERT { ?s <urn:n> ?m } WHERE { ?s <urn:n> ?n BIND(?n + 1 AS ?m) }")
    other = stated("4", "INSERT DATA { <urn:b> <urn:m> 1 }")
    nothing = stated("5", "DELETE WHERE { <urn:b> ?p ?o }")
    for life in range(2):
        given = project(tmp_path)
        flow = CheckpointedFlow(given, given.settings.path("var/state"), [], None)
        ontology = KnowledgeAdmin(flow, print)
        asked = EngineRequests(partial(_itself, ontology), lambda: None)
        flow.queries.submit(given.registrations(IN_OFFICES, "offices"))
        if life == 0:
            assert sensors_of(flow, 1) == ["s1"]
            asked.state([nothing])
            asked.state([into_office, one, more])
            asked.state([other])
        for done in ([one, more], [nothing]):  # as if their end had not been noted
            asked.state(done)
        assert sensors_of(flow, 2 + life) == ["s1", "s2"]
        (module,) = (there for there in ontology.modules if there.source == RULES)
        assert [str(t.object) for t in module.triples if t.predicate.value == "urn:n"] == [f'"2"^^<{INTEGER}>']
        assert [str(t.object) for t in module.triples if t.predicate.value == "urn:m"] == [f'"1"^^<{INTEGER}>']
        leaf = Prover(flow.project.knowledge).leaf(module.triples[-1])
        assert leaf is not None
        assert leaf.sources == ("rules (rule moves)",)
        ontology.close()
        with pytest.raises(PipelineError, match="the engine ends"):
            asked.state([stated("4", MOVED)])
        flow.close()


def _itself(ontology: KnowledgeAdmin) -> KnowledgeAdmin:
    return ontology


def test_before_the_engine_is_there_it_is_asked_again() -> None:
    with pytest.raises(PipelineError, match="the engine begins"):
        EngineRequests(lambda: None, lambda: None).submit("q", "SELECT")


def test_queries_go_to_the_submissions() -> None:
    asked: list[Any] = []
    there: Any = SimpleNamespace(submit=lambda *query: asked.append(query), withdraw=asked.append)
    requests = EngineRequests(lambda: None, lambda: there)
    requests.submit("q", "SELECT ?e")
    requests.withdraw("q")
    assert asked == [("q", "SELECT ?e"), "q"]


def test_what_rules_have_asked_for_is_done_by_the_next_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls wait in the outbox before the engine has begun; queries come and go, each once, and knowledge stays."""
    monkeypatch.setattr("kaicep.pipeline.control.knowledge_admin.close_in_process", closed_here)
    kinds: dict[str, dict[str, Any]] = {
        "tell": {"kaicep:knowledge": "INSERT DATA { <urn:ex:n{n}> <urn:ex:key> $n }"},
        "watch": {"kaicep:submit": {"name": "watch_{n}", "query": "SELECT ?e.sensor FILTER (?e.flow > $n)"}},
        "forget": {"kaicep:withdraw": "watch_{n}"},
        "wrong": {"kaicep:submit": {"name": "wrong", "query": "SELECT ?e.flwo"}},
    }
    given = project(tmp_path, actions={name: {**kind, "backoff": "20ms"} for name, kind in kinds.items()})
    waiting = Outbox(outbox_folder(given.settings.path("var/state")))
    for batch, action in enumerate(kinds, 1):
        waiting.put(batch, calls_table([1] if action == "forget" else [1, 2], action=action))
    with Engine(given) as engine:
        assert engine._actions is not None
        assert engine._submissions is not None
        calls = engine._actions.calls
        calls.release(2)
        engine._submissions.begin()
        assert eventually(lambda: calls.counts()["watch"].sent == 2 and calls.counts()["tell"].sent == 2)
        assert [handle.name for handle in engine.handles] == ["watch_1", "watch_2"]
        calls.release(4)
        assert eventually(lambda: calls.counts()["forget"].sent == 1 and calls.counts()["wrong"].failed == 2)
        assert [handle.name for handle in engine.handles] == ["watch_2"]
        assert {call.reason.partition("\n")[0] for call in calls.failed()} == {
            "wrong:1:11: unknown attribute 'flwo' of stream 'air'"
        }
    rules = next(one for one in modules_in_force(given.settings) if one.source == RULES)
    assert len(rules.triples) == 2
    with Engine(given) as engine:
        assert engine._submissions is not None
        engine._submissions.begin()
        assert [handle.name for handle in engine.handles] == ["watch_2"]
