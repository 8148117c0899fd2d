"""What a document declares and imports is known the second time, and nothing but that very document's."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology.modules import DocumentHeads, Module
from support.ontologies import write

TEXT = "<urn:o> a owl:Ontology ; owl:imports <urn:b>, <urn:a> ; rdfs:label [] ."


@pytest.fixture
def heads(tmp_path: Path) -> DocumentHeads:
    return DocumentHeads(tmp_path / "heads")


def load(folder: Path, heads: DocumentHeads, text: str = TEXT) -> Module:
    write(folder, {"m.ttl": text})
    return Module.load(folder / "m.ttl", folder, heads)


def is_read(module: Module) -> bool:
    return isinstance(module.triples, tuple)


def test_the_second_time_a_document_is_not_read_until_its_triples_are_asked_for(
    tmp_path: Path, heads: DocumentHeads
) -> None:
    first, second = load(tmp_path, heads), load(tmp_path, heads)
    assert is_read(first)
    assert not is_read(second)
    assert second == first
    assert len(second.triples) == len(first.triples)
    assert tuple(second.triples) == first.triples


def test_its_triples_are_those_of_its_text_then_whatever_its_file_says_later(
    tmp_path: Path, heads: DocumentHeads
) -> None:
    first, second = load(tmp_path, heads), load(tmp_path, heads)
    write(tmp_path, {"m.ttl": "<urn:other> a owl:Ontology ."})
    assert tuple(second.triples) == first.triples


def test_another_text_another_syntax_and_a_damaged_file_are_read(tmp_path: Path, heads: DocumentHeads) -> None:
    load(tmp_path, heads)
    assert is_read(load(tmp_path, heads, TEXT + " "))
    (tmp_path / "m.trig").write_bytes((tmp_path / "m.ttl").read_bytes())
    assert is_read(Module.load(tmp_path / "m.trig", tmp_path, heads))
    for path in heads.folder.iterdir():
        path.write_text(path.read_text().replace("urn:b", "urn:c"))
    module = load(tmp_path, heads)
    assert is_read(module)
    assert set(module.imports) == {"urn:a", "urn:b"}


def test_a_document_with_relative_names_is_read_wherever_it_lies_otherwise(
    tmp_path: Path, heads: DocumentHeads
) -> None:
    relative = "<> a owl:Ontology ."
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        module = load(tmp_path / folder, heads, relative)
        assert is_read(module)
        assert module.declares == {(tmp_path / folder / "m.ttl").as_uri()}
    assert not is_read(load(tmp_path / "other", heads, relative))


def test_where_nothing_can_be_written_documents_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for _ in range(2):
        assert is_read(load(tmp_path, DocumentHeads(tmp_path / "file")))
