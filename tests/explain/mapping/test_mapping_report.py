"""Whether what events hold, what annotations declare and what the model knows go together."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.explain import report_mapping
from kaicep.pipeline.flow import Registration
from support.mapping import mapped, project_with_model, readings

OF_CO2 = "SELECT ?e.value FROM (?e, air) PATH { ?e m:sensor ?s . ?s a m:CO2 }"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Streams `air` and `water`, three sensors in the model."""
    return project_with_model(tmp_path)


def test_all_is_well(project: Project) -> None:
    report = mapped(project, OF_CO2, {"air": readings(1, 2, 3, 4)})
    (stream,), (query,) = report.streams, report.queries
    assert (stream.stream, stream.events, stream.rejected, stream.missing, stream.undeclared) == ("air", 4, 0, (), ())
    (ids,) = stream.ids
    assert (ids.known, ids.unknown, ids.classes) == (3, 0, (("urn:m:CO2", 2), ("urn:m:Flow", 1)))
    assert (query.query, query.reasons, query.rows.reported) == ("q0", (), 3)
    (path,) = query.variables[0].paths
    assert (path.held, path.events, path.holding, path.distinct, path.unpopulated) == (3, 4, 2, 3, ())


def test_a_value_column_with_another_name_is_told_from_both_sides(project: Project) -> None:
    (stream,) = mapped(project, OF_CO2, {"air": readings(1, 2, name="valeu")}).streams
    assert stream.missing == (("value", "did you mean 'valeu'?"),)
    assert stream.undeclared == (("valeu", 2),)
    (stream,) = mapped(project, OF_CO2, {"air": readings(1, name="reading")}).streams
    assert stream.missing == (("value", "is it 'reading'?"),)


def test_a_stream_without_tuples_lacks_nothing(project: Project) -> None:
    (stream,) = mapped(project, OF_CO2, {}).streams
    assert (stream.events, stream.missing, stream.ids) == (0, (), ())


def test_without_knowledge_no_id_is_unknown() -> None:
    """Nobody has said that there is a model."""
    attributes = {"sensor": {"property": "<urn:sensor>", "individual": "<urn:{}>"}, "value": {"datatype": "xsd:double"}}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": attributes}
    project = Project.parse({"streams": {"air": stream}})
    (found,) = mapped(project, "SELECT ?e.value", {"air": readings(1)}).streams
    assert (found.events, found.ids) == (1, ())


def test_only_the_labels_that_are_asked_for_are_reported(project: Project) -> None:
    dataflow = project.dataflow()
    for label in ("one", "two"):
        dataflow.register(Registration(project.compile(OF_CO2)[0], label))
    assert [query.query for query in report_mapping(project, dataflow.profile, ["two"]).queries] == ["two"]
