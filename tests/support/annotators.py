"""Annotators of one stream over a little knowledge."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from kaicep.annotator import AnnotatedBatch, Annotator
from kaicep.config import Settings
from kaicep.ontology import KnowledgeBase

EX = "http://example.org/"
KNOWLEDGE = KnowledgeBase.of_turtle(
    """@prefix ex: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ex:airflow owl:equivalentProperty ex:flowrate , ex:airvolume . ex:s1 ex:code "one" . ex:s2 ex:code "7" ."""
)
NOON = datetime(2012, 5, 7, 12, tzinfo=UTC)


def annotator_of(attributes: dict[str, Any], identity: tuple[str, ...] = (), name: str = "report") -> Annotator:
    """The annotator of a stream of these attributes, `at` being its time."""
    stream = {"event_type": "ex:Report", "time": {"attribute": "at"}, "attributes": attributes, "identity": identity}
    return Annotator(name, Settings.parse({"prefixes": {"ex": EX}, "streams": {name: stream}}), KNOWLEDGE)


def annotated_column(datatype: str, values: pa.Array) -> AnnotatedBatch:
    """The events of a column `x` of raw values, all at noon."""
    at = pa.array([NOON] * len(values), pa.timestamp("us", "UTC"))
    return annotator_of({"x": {"datatype": datatype}}).annotate(pa.table({"at": at, "x": values}))
