"""The rows of a query as its shards have left them."""

from __future__ import annotations

from kaicep.pipeline.sharding.rows import QueryParts, shared_out


def parts(label: str, count: int) -> QueryParts:
    return QueryParts(label, label, (), count, None)


def test_queries_are_shared_out_by_their_rows() -> None:
    queries = [parts("a", 3), parts("b", 10), parts("c", 4), parts("d", 2)]
    shares = shared_out(queries, 2)
    assert [[query.label for query in share] for share in shares] == [["b"], ["c", "a", "d"]]
    assert [len(share) for share in shared_out(queries, 9)] == [1, 1, 1, 1]
    assert shared_out([], 2) == []
