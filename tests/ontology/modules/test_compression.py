"""Compressed files are read as what they hold."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import load_knowledge
from kaicep.ontology.modules import Module
from kaicep.ontology.modules.compression import uncompressed_name
from support.ontologies import PREAMBLE, X, project, write

TEXT = (PREAMBLE + "<http://example.org/o> a owl:Ontology . :a a :B .").encode()
TRIPLE = f"<{X}a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{X}B> .".encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.ttl.gz", gzip.compress(TEXT)),
        ("m.TTL.GZ", gzip.compress(TEXT)),
        ("m.ttl.bz2", bz2.compress(TEXT)),
        ("m.nt.gz", gzip.compress(TRIPLE)),
        ("m.nq.xz", lzma.compress(TRIPLE)),
    ],
)
def test_a_compressed_module_says_what_it_holds(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
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


def test_names_without_the_compression() -> None:
    assert [uncompressed_name(n) for n in ("a.ttl.gz", "a.b.ttl", "a.XZ", "gz")] == ["a.ttl", "a.b.ttl", "a", "gz"]
