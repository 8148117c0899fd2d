"""SPARQL text in; solutions, a boolean, RDF, or what is wrong with the text out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .serialization import serialized
from .sparql_faults import explain_syntax, names_dataset
from .sparql_hazards import is_intricate, refuse_service
from .sparql_request import SparqlRequest
from .timeout import Timeout

if TYPE_CHECKING:
    from .answering_process import answer_request
    from .sparql_results import Graph, Result, Solutions, collected, evaluate, select
    from .time_argument import parse_time_argument

_LATER = {
    "answer_request": ".answering_process",
    **dict.fromkeys(("Graph", "Result", "Solutions", "collected", "evaluate", "select"), ".sparql_results"),
    "parse_time_argument": ".time_argument",
}

__all__ = [
    "Graph",
    "Result",
    "Solutions",
    "SparqlRequest",
    "Timeout",
    "answer_request",
    "collected",
    "evaluate",
    "explain_syntax",
    "is_intricate",
    "names_dataset",
    "parse_time_argument",
    "refuse_service",
    "select",
    "serialized",
]


def __getattr__(name: str) -> object:
    """What makes tables of answers, on first use: a process that passes them on as bytes needs none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
