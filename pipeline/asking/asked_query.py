"""The text of a query that is asked once of what an engine answers, checked against that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...errors import PipelineError
from ...language.checks import compile_document
from ...language.nodes import Query
from ..catalog import Catalog
from ..flow import ParkedQuery

__all__ = ["compile_asked"]


def compile_asked(
    project: Catalog, text: str, source: str, outputs: Sequence[Query], parked: Iterable[ParkedQuery]
) -> Query:
    """The query of a document that is asked once.

    Args:
        project: what it is checked against.
        text: prefixes and a query.
        source: what the document is called in messages.
        outputs: the registered queries.
        parked: those that are answered no more: nothing is known of their states.

    Raises:
        QuerySyntaxError, QueryTypeError: with place, caret and way out.
    """
    vocabulary = project.vocabulary(outputs, text)
    states = dict(vocabulary.states)
    for known in parked:
        if known.label in states:
            refusal = f"it is {known}", f"let it go on: kaicep resume {known.label}"
            states[known.label] = replace(states[known.label], refusal=refusal)
    queries = compile_document(text, replace(vocabulary, states=states), source, asked=True)
    if len(queries) != 1:
        place = None if not queries or queries[0].document is None else queries[0].document.place(queries[0].span)
        hint = "ask each by itself; kaicep submit registers queries"
        raise PipelineError("one query is asked at a time", place=place, hint=hint)
    return queries[0]
