"""SPARQL text in; solutions, a boolean, RDF, or what is wrong with the text out."""

from __future__ import annotations

from .sparql_faults import explain_syntax
from .sparql_hazards import is_intricate, refuse_service
from .sparql_request import SparqlRequest
from .sparql_results import Graph, Result, Solutions, collected, evaluate, names_dataset, select
from .time_argument import parse_time_argument
from .timeout import Timeout

__all__ = [
    "Graph",
    "Result",
    "Solutions",
    "SparqlRequest",
    "Timeout",
    "collected",
    "evaluate",
    "explain_syntax",
    "is_intricate",
    "names_dataset",
    "parse_time_argument",
    "refuse_service",
    "select",
]
