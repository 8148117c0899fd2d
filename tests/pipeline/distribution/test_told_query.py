"""A query that is answered elsewhere says what it was told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kaicep.errors import PipelineError
from kaicep.pipeline.distribution.distributed_flow import DistributedFlow
from kaicep.pipeline.distribution.told_query import ToldQuery
from kaicep.pipeline.sharding.hosting_state import QueryTold
from support.shards import FOLLOWS, PROJECT

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def test_it_waits_for_what_it_was_told_and_ends_when_it_is_told() -> None:
    flow = DistributedFlow(PROJECT, lambda: None)  # type: ignore[arg-type, return-value]  # nothing runs
    (registration,) = PROJECT.registrations(FOLLOWS, "q")
    flow.register(registration)
    query = flow.flows["follows"]
    assert isinstance(query, ToldQuery)
    assert (query.due, query.ending) == (None, None)
    query.told = QueryTold("follows", MOMENT, None)
    assert (query.due, query.ended) == (MOMENT, False)
    assert flow.queries.due({"P": None, "Q": None}) == {"P": MOMENT}
    query.told = QueryTold("follows", MOMENT, "LIMIT is reached")
    assert (query.due, query.ending) == (None, "LIMIT is reached")
    query.tell(QueryTold("follows", None, None, MOMENT))
    assert (query.watermark, query.row_watermark(MOMENT)) == (MOMENT, MOMENT)
    query.tell(QueryTold("follows", None, None, MOMENT, MOMENT - timedelta(seconds=3)))
    assert query.row_watermark(MOMENT) == MOMENT - timedelta(seconds=3)
    query.fail(PipelineError("it is too much"))
    assert query.ending == "it is too much"
