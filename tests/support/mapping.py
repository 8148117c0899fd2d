"""A small project with a model, and what a data flow counts of some tuples, for tests of the mapping report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kaicep import Project
from kaicep.explain import MappingReport, report_mapping
from kaicep.pipeline.flow import Batch, Registration, live_batch
from kaicep.pipeline.sources import raw_table

__all__ = ["mapped", "project_with_model", "readings"]

_MODEL = """
@prefix m: <urn:m:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
m:CO2 a owl:Class . m:Flow a owl:Class . m:Unused a owl:Class . m:s1 a m:CO2 . m:s2 a m:CO2 . m:s3 a m:Flow .
m:Reading a owl:Class . m:sensor a owl:ObjectProperty . m:value a owl:DatatypeProperty .
"""


def project_with_model(folder: Path) -> Project:
    """Streams `air` and `water` of readings of the sensors `s1` to `s3`."""
    (folder / "m.ttl").write_text(_MODEL)
    stream = {
        "event_type": "m:Reading",
        "time": {"attribute": "at"},
        "attributes": {
            "sensor": {"property": "m:sensor", "individual": "m:{}"},
            "value": {"property": "m:value", "datatype": "xsd:double"},
        },
    }
    settings = {"prefixes": {"m": "urn:m:"}, "knowledge": {"modules": ["m.ttl"]}}
    return Project.parse({**settings, "streams": {"air": stream, "water": stream}}, root=folder)


def readings(
    *values: float, name: str = "value", sensors: Sequence[str] = ("s1", "s2", "s3")
) -> list[dict[str, object]]:
    """Readings, one each second, of the sensors in turn."""
    return [
        {"at": f"2026-01-01T00:00:{second:02d}Z", "sensor": sensors[second % len(sensors)], name: value}
        for second, value in enumerate(values)
    ]


def mapped(
    project: Project, text: str, streams: Mapping[str, list[dict[str, object]]], *, ended: bool = True
) -> MappingReport:
    """The report of a document's queries over tuples by stream."""
    dataflow = project.dataflow()
    queries = project.compile(text)
    for number, query in enumerate(queries):
        dataflow.register(Registration(query, query.name or f"q{number}"))
    batches = [live_batch(project.annotators, {name: raw_table(rows) for name, rows in streams.items()})]
    for batch in [*batches, *([Batch(ends=True)] if ended else [])]:
        _ = dataflow.process(batch).matches
    return report_mapping(project, dataflow.profile, ended=ended)
