"""kaicep: semantic event processing backed by a triple store.

Load ontologies, submit χ-CEP queries over past, present and future events, query the event archive with SPARQL.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import (
    AnnotationError,
    ArchiveError,
    ConfigError,
    KaicepError,
    OntologyError,
    OperatorError,
    PipelineError,
    PlanError,
    QuerySyntaxError,
    QueryTypeError,
)

if TYPE_CHECKING:
    from .api import Client, Engine, Project
    from .pipeline.hosting import QueryHandle
    from .pipeline.results import Rows
    from .pipeline.sinks import CallbackSink, JsonLinesSink, KafkaSink, ParquetSink, Sink

_LAZY = {
    "CallbackSink": ".pipeline.sinks",
    "Client": ".api",
    "Engine": ".api",
    "JsonLinesSink": ".pipeline.sinks",
    "KafkaSink": ".pipeline.sinks",
    "ParquetSink": ".pipeline.sinks",
    "Project": ".api",
    "QueryHandle": ".pipeline.hosting",
    "Rows": ".pipeline.results",
    "Sink": ".pipeline.sinks",
}

__all__ = [
    "AnnotationError",
    "ArchiveError",
    "CallbackSink",
    "Client",
    "ConfigError",
    "Engine",
    "JsonLinesSink",
    "KafkaSink",
    "KaicepError",
    "OntologyError",
    "OperatorError",
    "ParquetSink",
    "PipelineError",
    "PlanError",
    "Project",
    "QueryHandle",
    "QuerySyntaxError",
    "QueryTypeError",
    "Rows",
    "Sink",
]


def __getattr__(name: str) -> object:
    """The classes that load Arrow, the reasoners and Spark, on first use: a message needs none of them."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    message = f"module 'kaicep' has no attribute '{name}'"
    raise AttributeError(message)
