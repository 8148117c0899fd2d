"""Small ontologies: a preamble of prefixes, and folders full of modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.reasoners import Closure, close
from kaicep.storage import Telling, untold
from pyoxigraph import NamedNode

__all__ = ["BY_CASES", "PREAMBLE", "SOME_D", "X", "closed_here", "project", "slow_module", "types", "write"]

X = "http://example.org/x#"
PREAMBLE = f"""\
@prefix : <{X}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

SOME_D = "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :D ]"
BY_CASES = f"""{PREAMBLE}
<http://example.org/o> a owl:Ontology ; owl:imports <http://unreachable.example.org/> .
:p a owl:ObjectProperty . :q a owl:ObjectProperty ; owl:inverseOf :p . :day a owl:DatatypeProperty .
:C a owl:Class ; owl:equivalentClass {SOME_D} . :CC a owl:Class . :C rdfs:subClassOf :CC .
:D a owl:Class ; owl:equivalentClass [ owl:unionOf (:D1 :D2) ] . :D1 a owl:Class . :D2 a owl:Class .
:A a owl:Class ; rdfs:subClassOf [ owl:unionOf (:A1 :A2) ] .
:A1 a owl:Class ; rdfs:subClassOf {SOME_D} . :A2 a owl:Class ; rdfs:subClassOf {SOME_D} .
:i a :A ; :day "2012-05-07"^^xsd:date ; rdfs:label "one, (two) | three"@en . :j a :D1 ; :q :k .
"""
"""`:i` is a `:C` whichever it is of `:A1` and `:A2`: RL cannot reason by cases."""


def types(knowledge: KnowledgeBase, name: str) -> set[str]:
    """The named classes of an individual, without the namespace."""
    quads = knowledge.store.quads_for_pattern(NamedNode(X + name), None, None)
    return {quad.object.value.removeprefix(X) for quad in quads if isinstance(quad.object, NamedNode)}


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by their names relative to the folder; Turtle gets the preamble."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PREAMBLE + text if path.suffix == ".ttl" else text, encoding="utf-8")


def project(
    folder: Path, *modules: str, reasoner: str = "rl", catalog: tuple[str, ...] = (), **more: object
) -> Settings:
    """Settings of a project in that folder, with the empty prefix of the preamble as `x:`; `more` of [knowledge]."""
    knowledge = {"modules": list(modules), "reasoner": reasoner, "catalog": list(catalog), **more}
    return Settings.parse({"prefixes": {"x": X}, "knowledge": knowledge}, root=folder)


def closed_here(*given: Any, seconds: float | None = None, told: Telling = untold) -> Closure:
    """What `close_in_process` gives, in this process, which takes less time; it is not ended after `seconds`."""
    del seconds
    closing: Callable[..., Closure] = partial(close, told=told)
    return closing(*given)


def slow_module(name: str = "slow", chains: int = 20) -> str:
    """A document in Turtle of some 3,000 triples, over which OWL 2 RL reasons for seconds; its triples are its own."""
    links = (f"<urn:{name}:{c}:{n}> <urn:p> <urn:{name}:{c}:{n + 1}> .\n" for c in range(chains) for n in range(150))
    return f"<urn:p> a <http://www.w3.org/2002/07/owl#TransitiveProperty> .\n{''.join(links)}"
