"""Queries that are alike as one whose partitions they are."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.partitions import QUERY_COLUMN, QuerySharing, is_joint, partitioned_by_query, queries_of
from support.operators import compiled

PAIR = "SELECT ?a FROM (?a, readings), (?b, alarms) SEQ (?a, ?b) WINDOW (?a, ?b, 3s) PARTITION BY sensor"


def test_the_query_is_the_first_partition_of_every_variable() -> None:
    query = compiled(PAIR)
    whole = partitioned_by_query(query)
    of_query, sensor = whole.partition_by
    assert of_query == (("a", QUERY_COLUMN), ("b", QUERY_COLUMN))
    assert dict(sensor) == {"a": "sensor", "b": "sensor"}
    assert all(QUERY_COLUMN in source.columns for source in whole.sources)
    assert is_joint(whole)
    assert not is_joint(query)


def test_rows_say_whose_they_are() -> None:
    numbers = queries_of(pl.DataFrame({QUERY_COLUMN: [2, 0]}))
    assert numbers is not None
    assert numbers.tolist() == [2, 0]
    assert queries_of(pl.DataFrame({"n": [1]})) is None


def test_what_is_found_for_a_group_is_found_for_each_of_its_queries() -> None:
    sharing = QuerySharing([[0, 3], [1], [2, 4]], pl.DataFrame())
    places, queries = sharing.each(np.array([1, 0, 2, 0]))
    assert places.tolist() == [0, 1, 1, 2, 2, 3, 3]
    assert queries.tolist() == [1, 0, 3, 2, 4, 0, 3]
    assert sharing.shares
    assert not QuerySharing([[1], [0]], pl.DataFrame()).shares
