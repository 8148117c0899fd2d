"""What is written where records are read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.pipeline.sharding.part_file import PartFile
from kaicep.pipeline.sharding.split_part import BEFORE_ROW, IDENTITIES, ROW, split_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of


def test_the_driver_is_told_numbers(tmp_path: Path) -> None:
    rows = [reading("a", 1), reading("b", 3), reading("a", 1), reading("c", 2), {"id": "d", "t": "soon"}]
    split = split_of(tmp_path, 4, rows)
    told = split_part(hosted_of(), split, LocalFolder(tmp_path), "one.parts")
    assert (told.split, told.file, told.records, told.duplicates, told.unusable) == (split, "one.parts", 5, 1, 1)
    assert told.greatest == datetime(2024, 1, 1, 0, 0, 3, tzinfo=UTC)
    assert "row 5" in told.reasons[0] or ":5" in told.reasons[0]


def test_candidates_lie_in_the_shards_of_their_keys(tmp_path: Path) -> None:
    """Those of both variables with one key in the same one; what FILTER refuses in none."""
    rows = [reading(f"e{car}", car, car=car, v=9 * (car % 2)) for car in range(8)]
    split_part(hosted_of(), split_of(tmp_path, 0, rows), LocalFolder(tmp_path), "one.parts")
    found: dict[str, dict[int, set[int]]] = {"a": {}, "b": {}}
    with PartFile(LocalFolder(tmp_path), "one.parts") as file:
        for _, variable, shard in (part for part in file if part[0] == "follows"):
            table = file.table(("follows", variable, shard))
            assert table is not None
            found[str(variable)][int(shard)] = set(table["car"].to_pylist())
    assert found["b"][0] | found["b"][1] == set(range(8))
    assert found["a"] == {shard: {car for car in cars if car % 2} for shard, cars in found["b"].items()}


def test_identities_say_what_came_before_them(tmp_path: Path) -> None:
    rows = [reading("a", 1), reading("b", 3), reading("c", 2)]
    split_part(hosted_of(shards=1), split_of(tmp_path, 0, rows), LocalFolder(tmp_path), "one.parts")
    with PartFile(LocalFolder(tmp_path), "one.parts") as file:
        table = file.table((IDENTITIES, "P", 0))
    assert table is not None
    assert table[ROW].to_pylist() == [0, 1, 2]
    before = [None if moment is None else moment.second for moment in table[BEFORE_ROW].to_pylist()]
    assert before == [None, 1, 3]
