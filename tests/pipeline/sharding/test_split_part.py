"""What is written where records are read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.pipeline.sharding.deals.dealt_events import BEFORE, EVENTS_OF, OTHERS, PLACE
from kaicep.pipeline.sharding.part_file import PartFile
from kaicep.pipeline.sharding.split_part import IDENTITIES, split_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of


def test_the_driver_is_told_numbers(tmp_path: Path) -> None:
    rows = [reading("a", 1), reading("b", 3), reading("a", 1), reading("c", 2), {"id": "d", "t": "soon"}]
    split = split_of(tmp_path, 4, rows)
    told = split_part(hosted_of(), split, LocalFolder(tmp_path), "one.parts")
    assert (told.split, told.file, told.records, told.duplicates, told.unusable) == (split, "one.parts", 5, 1, 1)
    assert told.greatest == datetime(2024, 1, 1, 0, 0, 3, tzinfo=UTC)
    assert "row 5" in told.reasons[0] or ":5" in told.reasons[0]


def places_of(file: PartFile, variable: str, shard: int, events: list[int]) -> set[int]:
    """The cars of the candidates of a variable in a shard."""
    name = ("follows", variable, shard)
    if name not in file:
        return set()
    table = None if file.is_empty(name) else file.table(name)
    return {*events} if table is None else {events[place] for place in table[PLACE].to_pylist()}


def test_candidates_lie_in_the_shards_of_their_keys(tmp_path: Path) -> None:
    """Each event once, with the places of those that each variable takes; what FILTER refuses is none of these."""
    rows = [reading(f"e{car}", car, car=car, v=9 * (car % 2)) for car in range(8)]
    split_part(hosted_of(), split_of(tmp_path, 0, rows), LocalFolder(tmp_path), "one.parts")
    with PartFile(LocalFolder(tmp_path), "one.parts") as file:
        tables = [file.table((EVENTS_OF, "P", "car", shard)) for shard in range(2)]
        cars = [[] if table is None else table["car"].to_pylist() for table in tables]
        found = {v: [places_of(file, v, shard, cars[shard]) for shard in range(2)] for v in "ab"}
    assert sorted(cars[0] + cars[1]) == list(range(8))
    assert found["b"] == [{*some} for some in cars]
    assert found["a"] == [{car for car in some if car % 2} for some in cars]


def test_identities_say_what_came_before_them(tmp_path: Path) -> None:
    """Where no query deals events so that equal identities are in one shard."""
    rows = [reading("a", 1), reading("b", 3), reading("c", 2)]
    split_part(hosted_of(shards=1), split_of(tmp_path, 0, rows), LocalFolder(tmp_path), "one.parts")
    with PartFile(LocalFolder(tmp_path), "one.parts") as file:
        table = file.table((IDENTITIES, "P", 0))
    assert table is not None
    assert table[PLACE].to_pylist() == [0, 1, 2]
    before = [None if moment is None else moment.second for moment in table[BEFORE].to_pylist()]
    assert before == [None, 1, 3]


def test_where_a_key_follows_from_identities_they_are_among_its_events(tmp_path: Path) -> None:
    """With those beside that no query takes."""
    text = (
        "CREATE QUERY n AS SELECT COUNT(?e) AS n FROM (?e, P) FILTER (?e.v > 3) WINDOW (?e, batch, 2s) GROUP BY ?e.id"
    )
    rows = [reading("a", 1), reading("b", 3, v=0), reading("c", 2)]
    split_part(hosted_of(text, 1), split_of(tmp_path, 0, rows), LocalFolder(tmp_path), "one.parts")
    with PartFile(LocalFolder(tmp_path), "one.parts") as file:
        assert not [part for part in file if part[0] == IDENTITIES]
        events, others = file.tables([(EVENTS_OF, "P", "id", 0), (OTHERS, "P", 0)])
    assert events is not None
    assert others is not None
    assert events["id"].to_pylist() == ["a", "c"]
    assert [text.split("/")[1] for text in others["_id"].to_pylist()] == ["b"]
    assert [moment.second for moment in (*events[BEFORE].to_pylist()[1:], *others[BEFORE].to_pylist())] == [3, 1]
