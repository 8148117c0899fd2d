"""What any store does with its graphs, whatever kind it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive.sparql import SparqlRequest
from kaicep.archive.store import BucketRange, OxigraphStore, encoder
from support.archives import NINE, SHAPE, STREAM, readings

MINUTE = timedelta(minutes=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OxigraphStore]:
    """Five minutes of readings, one a second."""
    store = OxigraphStore(tmp_path / "store", MINUTE)
    store.add(encoder({STREAM: SHAPE}, MINUTE)(STREAM, readings(300)))
    yield store
    store.close()


def test_the_graphs_of_a_stream_come_in_order_of_time(store: OxigraphStore) -> None:
    graphs = store.graphs(STREAM)
    assert graphs == sorted(graphs)
    assert len(graphs) == 5
    assert store.graphs(STREAM, NINE + MINUTE, NINE + 2 * MINUTE) == graphs[1:2]
    assert store.graphs("nobody") == []
    assert sorted(store.buckets()) == graphs


def test_buckets_that_end_by_a_moment_are_dropped(store: OxigraphStore) -> None:
    assert store.drop_before(NINE) == 0
    assert store.drop_before(NINE + 2.5 * MINUTE) == 2
    assert store.events_by_graph() == dict.fromkeys(store.graphs(STREAM, NINE + 2 * MINUTE), 60)


def test_a_store_lacks_what_lies_before_the_moment_that_it_announced(store: OxigraphStore) -> None:
    early = SparqlRequest("ASK { }", start=NINE + MINUTE / 2)
    assert store.lacking(early) is None
    store.announce(NINE + 2 * MINUTE)
    assert store.lacking(early) == BucketRange(NINE, NINE + 2 * MINUTE)
    assert store.lacking(SparqlRequest("ASK { }")) is None, "no time is named: what there is will do"
    assert store.lacking(SparqlRequest("ASK { }", start=NINE + 2 * MINUTE)) is None
