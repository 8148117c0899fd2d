"""What shards are given of splits."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.pipeline.sharding.given_events import GivenEvents
from kaicep.pipeline.sharding.hosted_queries import HostedQueries, StatePlace
from kaicep.pipeline.sharding.identity_part import DROPPED, ReadSplit
from kaicep.pipeline.sharding.part_file import write_parts
from kaicep.pipeline.sharding.split_part import split_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of

TEXT = """
    CREATE QUERY seen AS SELECT ?e.v FROM (?e, P) FILTER (?e.v > 3);
    CREATE QUERY pairs AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) JOIN (?a.car = ?b.car) SEQ (?a, ?b)
    WINDOW (?a, ?b, 3s) FILTER (?a.v > 3);
    CREATE QUERY all_of AS SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 3s);
    CREATE QUERY next AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) SEQ (?a => ?b) WINDOW (?a, ?b, 3s)
    PARTITION BY car
"""
GONE = "urn:kaicep:event:P/e3/1704067203000000"
SHARDS = 2


@pytest.fixture
def given(tmp_path: Path) -> tuple[HostedQueries, GivenEvents]:
    """Two splits; `e3`, in the first one, counts for nothing."""
    queries, folder = hosted_of(TEXT, SHARDS), LocalFolder(tmp_path)
    for place in range(2):
        rows = [reading(f"e{n}", n, car=n % 5, v=n % 8) for n in range(10 * place, 10 * place + 10)]
        split_part(queries, split_of(tmp_path, place, rows), folder, f"{place}.parts")
    write_parts(folder, "d.parts", {(DROPPED, "P", 0): pa.table({"_id": [GONE]})})
    places = [StatePlace("", unit.name, shard) for unit, shard in queries.work]
    splits = [ReadSplit("P", place, f"{place}.parts", None) for place in range(2)]
    return queries, GivenEvents(queries, places, splits, {"P": ["d.parts"]}, folder)


def numbers(given: tuple[HostedQueries, GivenEvents], name: str, variable: str) -> list[list[int]]:
    """The events of a variable in each shard, in the order in which they are given."""
    queries, events = given
    unit = queries.unit(name)
    shards = [events.candidates(unit, shard).get(variable) for shard in range(unit.shards(SHARDS))]
    return [
        [] if frame is None else [int(text.split("/")[1].removeprefix("e")) for text in frame["_id"]]
        for frame in shards
    ]


def test_each_event_is_a_candidate_in_one_shard(given: tuple[HostedQueries, GivenEvents]) -> None:
    wanted = [n for n in range(20) if n % 8 > 3]
    found = numbers(given, "pairs", "a")
    assert sorted(found[0] + found[1]) == wanted
    cars = [{n % 5 for n in own} for own in numbers(given, "pairs", "b")]
    assert not cars[0] & cars[1]
    assert cars[0] | cars[1] == set(range(5))


def test_of_what_looks_at_single_events_each_split_is_of_one_shard(given: tuple[HostedQueries, GivenEvents]) -> None:
    first, second = numbers(given, "seen", "e")
    assert sorted(first) == [4, 5, 6, 7]
    assert sorted(second) == [12, 13, 14, 15]


def test_what_counts_for_nothing_is_given_to_nobody(given: tuple[HostedQueries, GivenEvents]) -> None:
    ((*found,),) = numbers(given, "all_of", "e")
    assert sorted(found) == [n for n in range(20) if n != 3]
    first, second = numbers(given, "next", "a")
    assert sorted(first + second) == [n for n in range(20) if n != 3]


def test_columns_are_those_that_queries_use(given: tuple[HostedQueries, GivenEvents]) -> None:
    queries, events = given
    assert events.candidates(queries.unit("all_of"), 0)["e"].columns == ["_time", "_id"]
    assert not queries.is_lean(queries.unit("next"))
    assert {"a", "b", "*"} == events.candidates(queries.unit("next"), 0).keys()
