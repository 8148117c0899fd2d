"""Queries that are stopped with one that they need."""

from __future__ import annotations

import pytest
from kaicep import PipelineError
from support.answering import READERS_OF_ONE, answers, graph_of


def test_who_reads_a_stopped_query_is_stopped_and_the_others_go_on() -> None:
    queries = graph_of(READERS_OF_ONE)
    queries.flows["one"].fail(PipelineError("no more"))
    assert [label for label, rows in answers(queries) if rows] == ["other"]
    assert queries.cause_of(queries.flows["two"].query) == "one"
    failure = queries.flows["two"].failure
    assert failure is not None
    assert (failure.message, failure.hint) == ("'two' reads 'one', which is parked", "resume that: kaicep resume one")
    with pytest.raises(PipelineError, match="no more"):
        queries.check("two")
