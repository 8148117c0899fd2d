"""A batch is judged by the version in force in it, also when it is done again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kaicep.pipeline.knowledge.knowledge_store import KnowledgeStore
from kaicep.pipeline.knowledge.knowledge_swap import prepare_swap
from kaicep.pipeline.knowledge.knowledge_versions import KnowledgeVersions
from support.living import project, rooms, turtle


def test_a_swap_takes_over_with_the_batch_that_begins_next(tmp_path: Path) -> None:
    before = project(tmp_path)
    after = before.with_module(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
    versions = KnowledgeVersions(before, KnowledgeStore(tmp_path / "ontology"))
    first = versions.begin(1)
    assert (first.version.number, first.project, first.swap) == (1, before, None)
    swap = prepare_swap(before, after, {}, "adds more.ttl")
    versions.announce(swap)
    assert versions.waiting
    second = versions.begin(2)
    assert (second.version.number, second.project, second.swap) == (2, after, swap)
    assert not versions.waiting
    assert versions.begin(3).version.number == 2
    assert versions.begin(1).version.number == 1
    assert versions.at(1).knowledge.version == before.knowledge.version
    assert versions.at(2) is after


def test_no_new_version_judges_a_batch_that_was_begun(tmp_path: Path) -> None:
    before = project(tmp_path)
    store = KnowledgeStore(tmp_path / "ontology")
    KnowledgeVersions(before, store).begin(1)
    after = before.with_module(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
    versions = KnowledgeVersions(after, store)
    versions.begun = 2
    assert versions.begin(2).project.knowledge.version == before.knowledge.version
    third = versions.begin(3)
    assert (third.version.number, third.version.change) == (2, "the project's modules were changed")
    assert third.project is after


def test_what_judged_a_batch_is_never_refused_for_its_size(tmp_path: Path) -> None:
    """It was accepted then, whatever the project allows now."""
    names = " ".join(f"ex:r1 owl:sameAs ex:q{n} ." for n in range(4))
    before = project(tmp_path).with_module(turtle(tmp_path, "names.ttl", names))
    store = KnowledgeStore(tmp_path / "ontology")
    KnowledgeVersions(before, store).begin(1)
    now = before.settings.knowledge.model_copy(update={"names_per_thing": 2})
    settings = before.settings.model_copy(update={"knowledge": now})
    versions = KnowledgeVersions(replace(project(tmp_path), settings=settings), store)
    assert versions.at(1).knowledge.equivalents("urn:ex:r1") == {f"urn:ex:q{n}" for n in range(4)}
