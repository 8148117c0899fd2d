"""Reasoners are found by the name that the project file gives them."""

from __future__ import annotations

from typing import get_args

import pytest
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import REASONERS, USUAL_LIMITS, close
from kaicep.settings import KnowledgeSettings, ReasonerName
from support.ontologies import PREAMBLE


@pytest.mark.parametrize("name", get_args(ReasonerName))
def test_every_name_of_the_project_file_has_its_reasoner(name: ReasonerName) -> None:
    assert KnowledgeSettings(reasoner=name).reasoner == name
    assert REASONERS[name].name == name


def test_the_named_reasoner_closes() -> None:
    module = Module.parse("m.ttl", (PREAMBLE + ":A rdfs:subClassOf :B . :i a :A .").encode())
    sizes = {name: len(close([module], name, {}, USUAL_LIMITS).store) for name in ("none", "rl")}
    assert sizes["none"] == 2 < sizes["rl"]
