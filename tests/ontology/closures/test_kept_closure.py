"""A closure in files: what is read is what was written, and copies of it are private."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology.closures.kept_closure import read_closure, write_closure
from kaicep.ontology.individual_keys import subjects_below
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import USUAL_LIMITS, Closure, close
from pyoxigraph import NamedNode, Quad, Store, Triple
from support.ontologies import PREAMBLE, X

TEXT = ':A owl:disjointWith :B . :i a :A, :B . :p owl:equivalentProperty :q . [] :p "x"@en, 05 .'
NEW = Quad(NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:o"))


@pytest.fixture
def made() -> Closure:
    closure = close([Module.parse("m.ttl", (PREAMBLE + TEXT).encode())], "rl", {}, USUAL_LIMITS)
    inferred = frozenset({Triple(NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:o"))})
    return Closure(closure.store, inferred, closure.contradictions)


@pytest.fixture
def kept(made: Closure, tmp_path: Path) -> Closure:
    folder = tmp_path / "entry"
    folder.mkdir()
    write_closure(folder, "key", made, [Module.parse("m.ttl", (PREAMBLE + TEXT).encode())])
    read = read_closure(folder, "key", tmp_path / "copies")
    assert read is not None
    return read


def test_what_is_read_is_what_was_written(made: Closure, kept: Closure) -> None:
    assert set(kept.store) == set(made.store)
    assert kept.inferred == made.inferred
    assert kept.contradictions == made.contradictions
    assert len(kept.contradictions) == 1
    assert kept.kept is not None
    assert kept.kept.triples == len(made.store)
    assert X + "A" in kept.kept.names.classes
    assert X + "p" in kept.kept.names.properties
    assert kept.kept.names.equivalents[X + "p"] == {X + "p", X + "q"}


def test_it_says_what_modules_state_and_nothing_more(kept: Closure) -> None:
    assert kept.kept is not None
    module = Module.parse("m.ttl", (PREAMBLE + TEXT).encode())
    graph = NamedNode("urn:kaicep:module:0")
    stated = {Quad(q.subject, q.predicate, q.object, graph) for q in Closure.of_assertions([module]).store}
    assert set(kept.kept.stated()) == stated


def test_it_knows_what_it_speaks_of_below_a_prefix(kept: Closure) -> None:
    assert kept.kept is not None
    for prefix in (X, X + "i", "http://www.w3.org/2002/07/owl#Thing", ""):
        assert kept.kept.speaks_below(prefix)
    for prefix in (X + "nobody", "urn:", X + "ii", "zzz"):
        assert not kept.kept.speaks_below(prefix)


@pytest.mark.parametrize("prefix", [X, X + "i", "http://www.w3.org/2002/07/owl#", "urn:nobody", ""])
@pytest.mark.parametrize("typed", [True, False])
def test_it_lists_subjects_below_a_prefix_as_the_store_finds_them(
    made: Closure, kept: Closure, prefix: str, typed: bool
) -> None:
    assert kept.kept is not None
    found = subjects_below(made.store, prefix, None, typed=typed)
    assert kept.kept.subjects_below(prefix, typed=typed) == found
    assert bool(found) is (prefix != "urn:nobody")


def test_an_empty_closure_lists_nobody(tmp_path: Path) -> None:
    folder = tmp_path / "entry"
    folder.mkdir()
    write_closure(folder, "key", Closure(Store()), [])
    read = read_closure(folder, "key", tmp_path / "copies")
    assert read is not None
    assert read.kept is not None
    assert not read.kept.subjects_below("", typed=False)
    assert not read.kept.speaks_below("")


def test_a_copy_is_written_to_and_nobody_else_sees_it(kept: Closure) -> None:
    assert kept.kept is not None
    one, other = kept.kept.copy(), kept.kept.copy()
    assert one is not None
    assert other is not None
    one.store.add(NEW)
    assert NEW in one.store
    assert NEW not in other.store
    assert NEW not in kept.store


def test_the_files_of_a_copy_go_with_it(kept: Closure, tmp_path: Path) -> None:
    assert kept.kept is not None
    copy = kept.kept.copy()
    assert len(list((tmp_path / "copies").iterdir())) == 1
    del copy
    assert not list((tmp_path / "copies").iterdir())


def test_where_no_copy_can_be_made_there_is_none(kept: Closure, tmp_path: Path) -> None:
    assert kept.kept is not None
    (tmp_path / "copies").write_text("no folder")
    assert kept.kept.copy() is None


def test_the_closure_of_another_key_and_an_empty_folder_are_none(made: Closure, tmp_path: Path) -> None:
    write_closure(tmp_path, "key", made, [])
    assert read_closure(tmp_path, "other", tmp_path) is None
    assert read_closure(tmp_path / "nowhere", "key", tmp_path) is None
