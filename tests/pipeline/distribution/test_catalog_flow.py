"""A data flow over a project: its lateness, its ceilings; a query that fails stops itself alone."""

from __future__ import annotations

from kaicep.pipeline.distribution.catalog_flow import CatalogFlow
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.sources.memory_source import raw_table
from support.shards import PROJECT, reading


def test_it_is_that_of_the_project() -> None:
    flow = CatalogFlow(PROJECT)
    assert flow.knowledge is PROJECT.knowledge
    assert flow.annotators.keys() == {"P", "Q"}
    rows = raw_table([reading("a", 9), reading("b", 4)])
    (stream,) = flow.process(live_batch(flow.annotators, {"P": rows})).streams.values()
    assert (stream.events.num_rows, stream.late.num_rows) == (1, 1)
