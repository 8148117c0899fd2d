"""SPARQL text in; solutions, a boolean, RDF, or what is wrong with the text out."""

from __future__ import annotations

from .queryable import Queryable, Question
from .sparql_faults import explain_syntax
from .sparql_results import Graph, Result, Solutions, collected, evaluate, names_dataset, select
from .time_argument import moment_of

__all__ = [
    "Graph",
    "Queryable",
    "Question",
    "Result",
    "Solutions",
    "collected",
    "evaluate",
    "explain_syntax",
    "moment_of",
    "names_dataset",
    "select",
]
