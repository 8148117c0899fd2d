"""What the events of a stream are: attributes, types, units, properties; and how its newest ones go with the model."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pyoxigraph as ox

from ...api import Project
from ...archive import open_read_view
from ...config import Settings
from ...errors import ArchiveError
from ...explain import mapping_dict, report_mapping
from ...language import duration_text
from ...language.nodes import AttributeType, StreamType
from ...pipeline.flow import Batch
from ..jobs import batch_of_log, columns_of_log
from ..plain_json import plain_value
from .stream_listing import source_text

__all__ = ["stream_schema"]

_LOOKED_AT = timedelta(hours=1)


def stream_schema(_: ox.Store, settings: Settings, name: str) -> dict[str, Any]:
    """The schema of a stream.

    Args:
        settings: of the project, which has the stream.
        name: of the stream.

    Returns:
        `name`, `class`, `time`, `attributes` (`name`, `type`, `unit`, `property`, `individual`), `identity`,
        `lateness`, `source`, and `mapping`, the report over the events of the last hour of the archive; null without
        events.
    """
    project, stream = Project.of(settings), settings.streams[name]
    known = project.annotators[name].stream_type
    return {
        "name": name,
        "class": stream.event_type,
        "time": known.time,
        "attributes": [_attribute(one) for one in known.attributes],
        "identity": list(stream.identity),
        "lateness": duration_text(stream.lateness),
        "source": source_text(name, stream),
        "mapping": _mapping(project, known),
    }


def _attribute(attribute: AttributeType) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "type": attribute.type.value,
        "unit": attribute.unit,
        "property": attribute.property,
        "individual": attribute.individual,
    }


def _mapping(project: Project, stream: StreamType) -> dict[str, Any] | None:
    """The mapping report over the newest events."""
    dataflow = project.dataflow(isolated=True)
    text = f"SELECT ?e.{stream.time} FROM (?e, {stream.name})"  # noqa: S608 - χ-CEP, of names of the project file
    for one in project.registrations(text, "query"):
        dataflow.register(one)
    with (
        suppress(ArchiveError),
        open_read_view(project.settings, project.knowledge, project.shapes, store=False) as archive,
    ):
        scan = archive.scan([stream.name])
        known = scan.time_range()
        if known is None:
            return None
        annotator = project.annotators[stream.name]
        events = scan.read(known[1] - _LOOKED_AT, None, {stream.name: columns_of_log(annotator)})[stream.name]
        for batch in (Batch({stream.name: batch_of_log(annotator, events)}), Batch(ends=True)):
            for _ in dataflow.process(batch).rows():
                pass
        found = mapping_dict(report_mapping(project, dataflow.profile, []))
        return {name: plain_value(part) for name, part in found.items()}
    return None
