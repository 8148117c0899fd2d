"""Modules, changes and versions survive their files, and the engine that knew them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import PipelineError
from kaicep.api.clients.ontology_client import add_module
from kaicep.pipeline.knowledge.knowledge_store import KnowledgeStore, modules_in_force
from support.living import project, rooms, turtle


def test_a_version_is_in_force_from_its_first_batch_on(tmp_path: Path) -> None:
    before = project(tmp_path)
    after = before.with_module(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
    store = KnowledgeStore(tmp_path / "ontology")
    assert store.at(9) is None
    store.begin(before.knowledge, 1, "the first")
    store.begin(after.knowledge, 5, "adds more.ttl")
    again = KnowledgeStore(tmp_path / "ontology")
    assert [(v.number, v.batch, v.change) for v in again.versions()] == [(1, 1, "the first"), (2, 5, "adds more.ttl")]
    assert [version.number for batch in (1, 4, 5) if (version := again.at(batch))] == [1, 1, 2]
    assert again.versions()[1].digest == after.knowledge.version
    assert again.in_words(after.knowledge).startswith(f"version 2 ({after.knowledge.version[:12]}), in force since")


def test_versions_say_whether_they_shape_events_alike(tmp_path: Path) -> None:
    """What an earlier kaicep noted says nothing of shapes: only that one version is like itself."""
    before = project(tmp_path)
    after = before.with_module(turtle(tmp_path, "by.ttl", "ex:sensor rdfs:subPropertyOf ex:by ."))
    store = KnowledgeStore(tmp_path / "ontology")
    assert store.shaped_alike(since=1)
    store.begin(before.knowledge, 1, "the first")
    assert store.shaped_alike(since=1)
    store.begin(before.knowledge, 3, "another", before.shapes)
    assert [store.shaped_alike(since=batch) for batch in (2, 3)] == [False, True]
    store.begin(before.knowledge, 5, "alike", before.shapes)
    assert [KnowledgeStore(tmp_path / "ontology").shaped_alike(since=batch) for batch in (2, 3, 6)] == [
        False,
        True,
        True,
    ]
    store.begin(after.knowledge, 7, "adds by.ttl", after.shapes)
    assert [store.shaped_alike(since=batch) for batch in (6, 7)] == [False, True]


def test_modules_are_kept_as_they_were(tmp_path: Path) -> None:
    before = project(tmp_path)
    store = KnowledgeStore(tmp_path / "ontology")
    version = store.begin(before.knowledge, 1, "the first")
    (tmp_path / "base.ttl").write_text("nothing", encoding="utf-8")
    (kept,) = store.modules(version)
    assert (kept.source, kept.digest) == ("base.ttl", before.knowledge.modules[0].digest)
    assert sorted(map(str, kept.triples)) == sorted(map(str, before.knowledge.modules[0].triples))


def test_what_was_changed_is_in_force_at_the_next_start(tmp_path: Path) -> None:
    given = project(tmp_path)
    add_module(given.settings, turtle(tmp_path, "more.ttl", rooms(s3="r1")), None)
    assert [module.source for module in modules_in_force(given.settings)] == ["base.ttl", "more.ttl"]
    store = KnowledgeStore.of(given.settings)
    assert [entry.source for entry in store.changes.added] == ["more.ttl"]


def test_a_lost_copy_is_told(tmp_path: Path) -> None:
    given = project(tmp_path)
    add_module(given.settings, turtle(tmp_path, "more.ttl", rooms(s3="r1")), None)
    store = KnowledgeStore.of(given.settings)
    (copy,) = (store.folder / "modules").glob("[!.]*")
    for mirror in (store.folder / "modules").glob(".*"):
        mirror.unlink()
    copy.write_bytes(b"x")
    with pytest.raises(PipelineError) as lost:
        project(tmp_path)
    assert str(lost.value) == (
        f"{copy}: the copy of the ontology module more.ttl cannot be read: restore it from a copy, or remove the "
        "engine's state to begin anew"
    )
