"""An endpoint says what it is and speaks."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
from kaicep.config import Settings
from kaicep.server.sparql.archive_dataset import ArchiveDataset
from kaicep.server.sparql.service_description import service_description
from kaicep.server.sparql.uploaded_dataset import UploadedDataset
from kaicep.settings import ServerSettings

SD = "http://www.w3.org/ns/sparql-service-description#"


def described(updatable: bool | None) -> set[str]:
    """What the description of a dataset names; `None`: of the archive."""
    dataset = (
        ArchiveDataset(Settings())
        if updatable is None
        else UploadedDataset(Path("none"), ServerSettings(), updatable=updatable)
    )
    document = service_description(dataset, "http://here/sparql", "text/turtle")
    assert document.media_type == "text/turtle"
    triples = list(ox.parse(document.content, format=ox.RdfFormat.TURTLE))
    assert any(str(quad.object) == "<http://here/sparql>" for quad in triples)
    return {str(quad.object)[1:-1].removeprefix(SD) for quad in triples}


def test_it_says_what_it_speaks() -> None:
    assert {"Service", "SPARQL11Query", "UnionDefaultGraph", "http://www.w3.org/ns/formats/Turtle"} <= described(None)
    assert "SPARQL11Update" not in described(None) | described(updatable=False)
    assert "SPARQL11Update" in described(updatable=True)
    assert "UnionDefaultGraph" not in described(updatable=True)
