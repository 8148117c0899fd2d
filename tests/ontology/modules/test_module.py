"""What a module declares and imports, which files are modules, and that its blank nodes are its own."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import load_knowledge
from kaicep.ontology.modules import Module, find_modules, ntriples, parse_ntriples
from pyoxigraph import BlankNode
from support.ontologies import PREAMBLE, X, project, write

RDF_XML = (
    '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:">'
    '<r:Description r:about="urn:a"><p r:resource="urn:b"/></r:Description></r:RDF>'
)


def test_it_is_known_by_ontology_and_version_and_asks_for_imports_in_order() -> None:
    text = "<urn:o> a owl:Ontology ; owl:versionIRI <urn:o/1> ; owl:imports <urn:b>, <urn:a> ."
    module = Module.parse("m.ttl", (PREAMBLE + text).encode())
    assert module.declares == {"urn:o", "urn:o/1"}
    assert set(module.imports) == {"urn:a", "urn:b"}
    assert not module.imported


def test_relative_names_start_from_the_file() -> None:
    module = Module.parse("m.ttl", b"<> <urn:p> <b> .", base="file:///project/m.ttl")
    assert [str(triple) for triple in module.triples] == ["<file:///project/m.ttl> <urn:p> <file:///project/b>"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.ttl", "<urn:a> <urn:p> <urn:b> ."),
        ("m.nt", "<urn:a> <urn:p> <urn:b> ."),
        ("m.jsonld", '{"@id": "urn:a", "urn:p": {"@id": "urn:b"}}'),
        ("m.rdf", RDF_XML),
    ],
)
def test_a_byte_order_mark_is_no_part_of_a_document(name: str, text: str) -> None:
    """Editors of Windows write one."""
    module = Module.parse(name, text.encode("utf-8-sig"))
    assert [str(triple) for triple in module.triples] == ["<urn:a> <urn:p> <urn:b>"]


def blank_nodes(module: Module) -> set[str]:
    terms = {term for triple in module.triples for term in (triple.subject, triple.object)}
    return {term.value for term in terms if isinstance(term, BlankNode)}


def test_blank_nodes_of_modules_never_clash_and_never_change() -> None:
    one, other = b"_:a <urn:p> [] .", b"_:a <urn:q> _:b ."
    first, again, second = (Module.parse("m.ttl", content) for content in (one, one, other))
    assert blank_nodes(first) == blank_nodes(again)
    assert len(blank_nodes(first) | blank_nodes(second)) == 4


def test_ntriples_keep_the_names_of_blank_nodes() -> None:
    module = Module.parse("m.ttl", b'_:a <urn:p> [ <urn:q> "x"@en ] .')
    assert parse_ntriples(ntriples(module)) == module.triples


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(OntologyError) as raised:
        Module.load(tmp_path / "m.ttl", tmp_path)
    assert str(raised.value) == "m.ttl: cannot read the module: No such file or directory"


def test_patterns_name_each_file_once_in_their_order(tmp_path: Path) -> None:
    write(tmp_path, {"b.ttl": "", "a.ttl": "", "more/c.ttl": ""})
    found = find_modules(["b.ttl", "*.ttl", "more/*"], tmp_path)
    assert [path.name for path in found] == ["b.ttl", "a.ttl", "c.ttl"]


def test_a_pattern_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"no ontology module 'x\*\.ttl' in .*: knowledge.modules takes files"):
        find_modules(["x*.ttl"], tmp_path)


TEXT = (PREAMBLE + "<http://example.org/o> a owl:Ontology . :a a :B .").encode()
TRIPLE = f"<{X}a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{X}B> .".encode()


@pytest.mark.parametrize(
    ("name", "compress", "content"),
    [
        ("m.ttl.gz", gzip.compress, TEXT),
        ("m.TTL.GZ", gzip.compress, TEXT),
        ("m.ttl.bz2", bz2.compress, TEXT),
        ("m.nt.gz", gzip.compress, TRIPLE),
        ("m.nq.xz", lzma.compress, TRIPLE),
    ],
)
def test_a_compressed_module_says_what_it_holds(
    tmp_path: Path, name: str, compress: Callable[[bytes], bytes], content: bytes
) -> None:
    (tmp_path / name).write_bytes(compress(content))
    assert load_knowledge(project(tmp_path, name)).is_class(X + "B")


def test_the_digest_is_that_of_the_text(tmp_path: Path) -> None:
    """So a module that is compressed anew is the same module, and its closure is kept."""
    (tmp_path / "m.ttl").write_bytes(TEXT)
    (tmp_path / "m.ttl.gz").write_bytes(gzip.compress(TEXT))
    plain, packed = (Module.load(tmp_path / name, tmp_path) for name in ("m.ttl", "m.ttl.gz"))
    assert plain.digest == packed.digest


def test_imports_are_found_in_compressed_files(tmp_path: Path) -> None:
    write(tmp_path, {"m.ttl": "<urn:o> a owl:Ontology ; owl:imports <http://example.org/o> ."})
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "o.ttl.gz").write_bytes(gzip.compress(TEXT))
    found = load_knowledge(project(tmp_path, "m.ttl", catalog=("more",)))
    assert [module.source for module in found.modules] == ["m.ttl", "more/o.ttl.gz"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_file_that_is_cut_off_is_told(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    suffix = {gzip.compress: ".gz", bz2.compress: ".bz2", lzma.compress: ".xz"}[compress]
    (tmp_path / f"m.ttl{suffix}").write_bytes(compress(TEXT)[:-5])
    with pytest.raises(
        OntologyError, match=rf"m\.ttl\{suffix}: cannot unpack the module: .*: is it a whole \{suffix} fi"
    ):
        Module.load(tmp_path / f"m.ttl{suffix}", tmp_path)


def test_a_file_that_is_not_compressed_is_told(tmp_path: Path) -> None:
    (tmp_path / "m.ttl.gz").write_bytes(TEXT)
    with pytest.raises(OntologyError, match=r"cannot unpack the module: Not a gzipped file.*else drop that suffix"):
        Module.load(tmp_path / "m.ttl.gz", tmp_path)
