"""Requests of the SPARQL Protocol in; documents, from processes that can be ended, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answer_examples import graph_examples
    from .archive_dataset import ArchiveDataset
    from .media_types import GRAPH_FORMATS, GRAPH_TYPES, RESULT_TYPES, accepted, with_charset
    from .process_pool import ProcessPool
    from .protocol_request import content_type_of
    from .sparql_answer import Document, SparqlQuestion, written
    from .sparql_dataset import SparqlDataset
    from .sparql_endpoint import DeferredAnswer, sparql_routes
    from .uploaded_dataset import UploadedDataset
    from .watched_call import WatchedCall

_LATER = {
    "ArchiveDataset": ".archive_dataset",
    "DeferredAnswer": ".sparql_endpoint",
    "Document": ".sparql_answer",
    "GRAPH_FORMATS": ".media_types",
    "GRAPH_TYPES": ".media_types",
    "ProcessPool": ".process_pool",
    "RESULT_TYPES": ".media_types",
    "SparqlDataset": ".sparql_dataset",
    "SparqlQuestion": ".sparql_answer",
    "UploadedDataset": ".uploaded_dataset",
    "WatchedCall": ".watched_call",
    "accepted": ".media_types",
    "content_type_of": ".protocol_request",
    "graph_examples": ".answer_examples",
    "sparql_routes": ".sparql_endpoint",
    "with_charset": ".media_types",
    "written": ".sparql_answer",
}

__all__ = [
    "GRAPH_FORMATS",
    "GRAPH_TYPES",
    "RESULT_TYPES",
    "ArchiveDataset",
    "DeferredAnswer",
    "Document",
    "ProcessPool",
    "SparqlDataset",
    "SparqlQuestion",
    "UploadedDataset",
    "WatchedCall",
    "accepted",
    "content_type_of",
    "graph_examples",
    "sparql_routes",
    "with_charset",
    "written",
]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
