"""Why there is a row: its events, and what held of each."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.archive import ArchivePlace
from kaicep.archive.matches import MatchLog, Provenance
from kaicep.config import Settings
from kaicep.language.nodes import ValueType
from kaicep.server.knowledge.match_reasons import reasons_of_match
from kaicep.server.problem import ProblemError
from support.archives import STREAM, archived_project
from support.explained_match import EVENT, MATCH, explained_match
from support.kept_rows import numbered_rows, row_id

HIGH = "CREATE QUERY high AS SELECT ?e.flowrate AS flow FROM (?e, airflowReport) FILTER (?e.flowrate > 50)"


@pytest.fixture
def found(tmp_path: Path) -> Settings:
    """A row of one event, the 140th reading."""
    archived_project(tmp_path)
    (tmp_path / "high.chi").write_text(HIGH)
    file = tmp_path / "kaicep.toml"
    attributes = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'
    file.write_text('[queries]\nfiles = ["high.chi"]\n' + file.read_text() + attributes)
    settings = Settings.load(tmp_path)
    rows = numbered_rows(1)
    events = rows["_events"].type
    row = rows.to_pylist()[0] | {"_events": {"e": [f"urn:kaicep:event:{STREAM}/s0/140"]}}
    log = MatchLog(ArchivePlace.of(settings).logs)
    provenance = Provenance("high", HIGH, "k", {"flow": ValueType.DOUBLE})
    log.append(9, [(provenance, type(rows).from_pylist([row], rows.schema))])
    log.close()
    assert events is not None
    return settings


def test_why_there_is_a_row(found: Settings) -> None:
    why = reasons_of_match(ox.Store(), found, "high", row_id(1))
    assert why["match"]["_id"] == row_id(1)
    (event,) = why["events"]
    assert (event["id"], event["variable"], event["stream"]) == (f"urn:kaicep:event:{STREAM}/s0/140", "e", STREAM)
    assert (event["attributes"]["flowrate"], event["time"]) == (70.0, "2012-05-07T09:02:20Z")
    (reason,) = why["reasons"]
    assert reason["holds"]
    assert any("flowrate > 50" in clause["text"] for clause in reason["candidacies"][0]["clauses"])
    assert (why["contexts"], why["notes"]) == (None, [])


def test_paths_are_told_down_to_file_and_axiom(tmp_path: Path) -> None:
    """That a room is a place is said by an axiom; that this is a room, in the same file."""
    why = reasons_of_match(ox.Store(), explained_match(tmp_path), "high", MATCH)
    assert why["notes"] == []
    (reason,) = why["reasons"]
    assert (reason["event"], reason["holds"]) == (EVENT, True)
    path, _ = reason["candidacies"][0]["clauses"]
    assert (path["kind"], path["holds"]) == ("path", True)
    sensed, has, place = (part["proofs"][0] for part in path["parts"])
    assert (sensed["origin"], sensed["sources"]) == ("event", ["sensorID is s0"])
    assert place["rule"] == "cax-sco"
    room, axiom = sorted(place["premises"], key=lambda proof: "subClassOf" in proof["triple"][1])
    assert room["triple"][2] == "<http://e/Room>"
    assert axiom["triple"][::2] == ["<http://e/Room>", "<http://e/Place>"]
    for leaf in (has, room, axiom):
        assert (leaf["origin"], [Path(source).name for source in leaf["sources"]]) == ("module", ["rooms.ttl"])


def test_what_cannot_be_explained(found: Settings) -> None:
    with pytest.raises(ProblemError, match="no row of 'high' has the id") as problem:
        reasons_of_match(ox.Store(), found, "high", row_id(2))
    assert problem.value.status == 404
    (found.root / "high.chi").write_text(HIGH.replace("high", "higher"))
    with pytest.raises(ProblemError, match="the text of 'high' is not known") as problem:
        reasons_of_match(ox.Store(), found, "high", row_id(1))
    assert problem.value.status == 409
