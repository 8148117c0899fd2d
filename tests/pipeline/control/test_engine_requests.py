"""What rules ask of a running engine: knowledge that judges the next batch, queries that come and go."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kaicep.errors import PipelineError
from kaicep.ontology.modules import RULES, RuleStatement
from kaicep.ontology.proofs import Prover
from kaicep.ontology.reasoners import close
from kaicep.pipeline.control.engine_requests import EngineRequests
from kaicep.pipeline.control.knowledge_admin import KnowledgeAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from support.living import IN_OFFICES, project, sensors_of

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
MOVED = "INSERT DATA { <urn:ex:r2> <urn:ex:was> 'moved' }"


def stated(key: str, update: str) -> RuleStatement:
    return RuleStatement("moves", key, update)


def test_what_a_rule_states_judges_the_next_batch_once_and_after_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kaicep.pipeline.control.knowledge_admin.close_in_process", close)
    into_office = stated("1", "INSERT DATA { <urn:ex:s2> <urn:ex:in> <urn:ex:r1> }")
    one = stated("2", "INSERT DATA { <urn:a> <urn:n> 1 }")
    more = stated("3", "DELETE { ?s <urn:n> ?n } INSERT { ?s <urn:n> ?m } WHERE { ?s <urn:n> ?n BIND(?n + 1 AS ?m) }")
    for life in range(2):
        given = project(tmp_path)
        flow = CheckpointedFlow(given, given.settings.path("var/state"), [], None)
        ontology = KnowledgeAdmin(flow, print)
        asked = EngineRequests(partial(_itself, ontology), lambda: None)
        flow.queries.submit(given.registrations(IN_OFFICES, "offices"))
        if life == 0:
            assert sensors_of(flow, 1) == ["s1"]
            asked.state([into_office, one, more])
        asked.state([one, more])  # as if their end had not been noted
        assert sensors_of(flow, 2 + life) == ["s1", "s2"]
        (module,) = (there for there in ontology.modules if there.source == RULES)
        assert [str(t.object) for t in module.triples if t.predicate.value == "urn:n"] == [f'"2"^^<{INTEGER}>']
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
