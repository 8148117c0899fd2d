"""Whoever closes modules can be told how far that is."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology import knowledge_of
from kaicep.ontology.closures import CACHE_VARIABLE
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import USUAL_LIMITS, close
from kaicep.storage import untold
from support.ontologies import project

MODULE = Module.parse("m.ttl", b"<urn:a> <urn:b> <urn:c> .")


@pytest.mark.parametrize(("reasoner", "stages"), [("rl", ["reasoning", "contradictions"]), ("none", ["reasoning"])])
def test_stages_are_told_as_they_begin(reasoner: str, stages: list[str]) -> None:
    told: list[tuple[str, float]] = []
    close([MODULE], reasoner, {}, USUAL_LIMITS, lambda *at: told.append(at))  # type: ignore[arg-type]  # a literal
    assert told == [(stage, 0.0) for stage in stages]


def test_nobody_need_hear_it() -> None:
    close([MODULE], "rl", {}, USUAL_LIMITS, untold)


def test_the_knowledge_of_a_project_is_told_up_to_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few triples are not kept, so that nothing is written of them."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    many = Module.parse("many.nt", "".join(f"<urn:a{n}> <urn:b> <urn:c> .\n" for n in range(6_000)).encode())
    told: list[tuple[str, float]] = []
    for module in (MODULE, many, many):
        told.append((module.source, 0.0))
        knowledge_of(project(tmp_path, reasoner="none"), [module], told=lambda *at: told.append(at))
    assert told == [
        ("m.ttl", 0.0),
        ("reasoning", 0.0),
        ("many.nt", 0.0),
        ("reasoning", 0.0),
        ("keeping", 0.0),
        ("keeping", 0.35),
        ("keeping", 0.7),
        ("many.nt", 0.0),  # it is found there
        ("reasoning", 0.0),
    ]
