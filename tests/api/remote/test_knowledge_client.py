"""Modules of a server are listed, added, replaced and removed; what is known, kept and found is told, with reasons."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import Client, OntologyError, PipelineError
from kaicep.config import Settings
from support.archives import NINE, SECOND, STREAM, archived_project
from support.asked_engine import AskedEngine
from support.servers import serving

OWL = "@prefix owl: <http://www.w3.org/2002/07/owl#> . "
PEAK = "CREATE QUERY peak AS SELECT ?e.flow FILTER (?e.flow > 73.5)"
READINGS = {
    "event_type": "e:Reading",
    "time": {"attribute": "at"},
    "identity": ["at"],
    "attributes": {"flow": {"datatype": "xsd:double"}},
}
ROOMS = f"{OWL} <urn:rooms> a owl:Ontology . <urn:Room> owl:disjointWith <urn:Hall> . <urn:r1> a <urn:Room> ."


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Of a project with two modules, one of which declares an ontology, and an archive."""
    archived_project(tmp_path)
    (tmp_path / "rooms.ttl").write_text(ROOMS)
    (tmp_path / "nameless.ttl").write_text("<urn:r1> <urn:in> <urn:house> .")
    file = tmp_path / "kaicep.toml"
    file.write_text('[knowledge]\nmodules = ["rooms.ttl", "nameless.ttl"]\n' + file.read_text())
    with serving(Settings.load(tmp_path), stores=False) as url:
        yield Client(url)


def sizes(client: Client) -> dict[str, int]:
    return {one.name.rpartition("/")[2]: one.triples for one in client.graphs()}


def test_modules_come_and_go(client: Client, tmp_path: Path) -> None:
    found = client.ontologies()
    assert [(one.name, one.iri) for one in found.modules] == [("rooms.ttl", "urn:rooms"), ("nameless.ttl", None)]
    assert found.triples >= 4
    upload = tmp_path / "upload"
    upload.mkdir()
    (upload / "desks.owl").write_text("<urn:d1> <urn:in> <urn:r1> .")  # Turtle, as its text says
    graph = client.add_ontology(upload / "desks.owl")
    assert graph.endswith("/graphs/desks.owl")
    assert sizes(client) == {"rooms.ttl": 3, "nameless.ttl": 1, "desks.owl": 1}
    assert {one.origin for one in client.graphs() if one.name == graph} == {"added"}
    (upload / "desks.owl").write_text("<urn:d1> <urn:in> <urn:r1> . <urn:d2> <urn:in> <urn:r1> .")
    assert client.add_ontology(upload / "desks.owl") == graph
    assert sizes(client)["desks.owl"] == 2
    client.remove_ontology("desks.owl")
    assert sizes(client) == {"rooms.ttl": 3, "nameless.ttl": 1}
    with pytest.raises(PipelineError, match="there is no graph"):
        client.remove_ontology("desks.owl")


def test_a_module_of_the_project_is_meant_by_its_file_or_ontology(client: Client) -> None:
    said = f"{OWL} <urn:rooms> a owl:Ontology ."
    assert client.add_ontology(said.encode(), name="rooms.ttl") == "urn:rooms"
    assert sizes(client) == {"rooms.ttl": 1, "nameless.ttl": 1}
    client.remove_ontology("urn:rooms")
    assert sizes(client) == {"nameless.ttl": 1}
    with pytest.raises(OntologyError, match=r"'nameless\.ttl' is a file of the server's project, and declares no"):
        client.remove_ontology("nameless.ttl")


def test_a_document_without_a_name_gets_one(client: Client) -> None:
    graph = client.add_ontology(b"<urn:a> <urn:b> <urn:c> .", "application/n-triples")
    assert graph in {one.name for one in client.ontologies().modules}
    client.remove_ontology(graph)
    assert len(client.graphs()) == 2


def test_what_is_refused_is_raised(client: Client, tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="is both <urn:Hall> and <urn:Room>, which are disjoint"):
        client.add_ontology(b"<urn:r1> a <urn:Hall> .")
    with pytest.raises(OntologyError, match="no Turtle") as broken:
        client.add_ontology(b"<urn:r1> a", name="urn:g")
    assert broken.value.place is not None
    with pytest.raises(OntologyError, match=r"cannot read the module: No such file"):
        client.add_ontology(tmp_path / "none.ttl")
    with pytest.raises(OntologyError, match=r"no RDF to upload has the suffix '.txt'"):
        client.add_ontology(tmp_path / "none.txt")
    assert len(client.graphs()) == 2


def test_what_the_archive_has(client: Client) -> None:
    found = client.archive(gap="1h")
    assert (found.events, found.start, found.end) == (150, NINE, NINE + 149 * SECOND)
    (stream,) = found.streams
    assert (stream.name, stream.covered, stream.gaps) == (STREAM, ((NINE, NINE + timedelta(seconds=149)),), ())


def test_classes_and_individuals(client: Client) -> None:
    (room,) = [one for one in client.classes() if one.iri == "urn:Room"]
    assert (room.individuals, room.subclasses) == (1, False)
    assert client.classes("urn:Room") == ()
    (found,) = client.individuals("R1", of_class="urn:Room")
    assert (found.iri, found.classes) == ("urn:r1", ("urn:Room",))
    assert client.individuals("r2") == ()
    one = client.individual("urn:r1")
    assert [(link.property, link.value, link.incoming) for link in one.triples] == [("urn:in", "urn:house", False)]
    with pytest.raises(PipelineError, match="nothing is said of <urn:r2>"):
        client.individual("urn:r2")


def test_why_a_row_came_and_its_chart(tmp_path: Path) -> None:
    engine = AskedEngine(tmp_path, PEAK, {"prefixes": {"e": "http://e/"}, "streams": {"air": READINGS}})
    engine.deliver(
        air=[{"at": (NINE + n * SECOND).isoformat(), "flow": flow} for n, flow in enumerate((70, 71, 72, 74, 73))]
    )
    engine.stop()
    with serving(engine.project.settings) as url:
        client = Client(url)
        (row,) = client.matches("peak").rows
        found = client.why("peak", row["_id"])
        assert [(event.time, event.attributes["flow"]) for event in found.events] == [(NINE + 3 * SECOND, 74.0)]
        assert found.reasons[0]["holds"] is True
        chart = client.chart("peak", start="now - 2s")
        assert (chart.threshold, chart.start, [mark.id for mark in chart.matches]) == (
            (73.5,),
            NINE + 2 * SECOND,
            [row["_id"]],
        )
        assert [value for _, value in chart.series[0].points] == [72.0, 74.0, 73.0]
        with pytest.raises(PipelineError, match="no row of 'peak' has the id 'x'"):
            client.why("peak", "x")
