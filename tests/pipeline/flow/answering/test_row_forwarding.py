"""Rows of a query as the events of others."""

from __future__ import annotations

from support.answering import answers, graph_of


def test_who_reads_integers_that_may_leave_64_bits_is_answered_where_there_are_none() -> None:
    """A batch without rows of the query that it reads parked it."""
    text = """CREATE QUERY sum AS SELECT SUM(?e.x) AS s FROM (?e, air) FILTER (?e.x > {}) WINDOW (?e, sliding, 1min);
    CREATE QUERY more AS SELECT ?e.s AS s FROM (?e, sum) FILTER (?e.s > 2)"""
    for least, found in ((9, []), (0, [3, 6])):
        queries = graph_of(text.format(least))
        rows = dict(answers(queries))["more"]
        assert (queries.flows["more"].failure, [row["s"] for row in rows]) == (None, found)
