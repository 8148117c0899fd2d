"""Which events count: whatever came before them, in whichever split."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.pipeline.sharding.hosted_queries import HostedQueries
from kaicep.pipeline.sharding.identity_part import DROPPED, IdentityReport, IdentityWork, ReadSplit, identity_part
from kaicep.pipeline.sharding.part_file import PartFile
from kaicep.pipeline.sharding.split_part import split_part
from kaicep.storage import LocalFolder
from support.shards import hosted_of, reading, split_of


def at(second: float) -> datetime:
    return datetime(2024, 1, 1, 0, 0, int(second), tzinfo=UTC)


def splits_of(queries: HostedQueries, folder: Path, stream: str) -> tuple[ReadSplit, ...]:
    """Two splits: the second has a duplicate of the first, and an event that is late behind it."""
    several = [[reading("a", 1), reading("b", 9)], [reading("c", 8), reading("a", 1), reading("d", 2), reading("e", 7)]]
    starts = [None, at(9)]
    found = []
    for place, rows in enumerate(several):
        split_part(queries, split_of(folder, place, rows, stream), LocalFolder(folder), f"{place}.parts")
        found.append(ReadSplit(stream, place, f"{place}.parts", starts[place]))
    return tuple(found)


def dropped(folder: Path, reports: list[IdentityReport], place: int) -> set[str]:
    gone: set[str] = set()
    for report in reports:
        with PartFile(LocalFolder(folder), report.file) as file:
            table = file.table((DROPPED, report.stream, place))
        gone |= set() if table is None else {text.split("/")[1] for text in table["_id"].to_pylist()}
    return gone


@pytest.mark.parametrize("shards", [1, 3])
def test_identities_with_time_are_looked_for_in_their_shards(tmp_path: Path, shards: int) -> None:
    queries = hosted_of(shards=shards)
    assert queries.is_bounded("P")
    splits = splits_of(queries, tmp_path, "P")
    reports = [
        identity_part(
            queries, IdentityWork("P", s, splits, (None, None), None, None, ""), LocalFolder(tmp_path), f"id{s}.parts"
        )
        for s in range(shards)
    ]
    assert sum(report.duplicates for report in reports) == 1
    assert sum(report.late for report in reports) == 1
    assert (dropped(tmp_path, reports, 0), dropped(tmp_path, reports, 1)) == (set(), {"a", "d"})
    again = [
        identity_part(
            queries,
            IdentityWork("P", s, splits[1:], (at(9), None), at(6), at(6), f"id{s}.parts"),
            LocalFolder(tmp_path),
            "x.parts",
        )
        for s in range(shards)
    ]
    assert sum(report.duplicates for report in again) == 2  # those below the watermark are late
    assert sum(report.late for report in again) == 2


def test_identities_without_time_are_judged_in_order_of_arrival(tmp_path: Path) -> None:
    queries = hosted_of(shards=3)
    assert not queries.is_bounded("Q")
    splits = splits_of(queries, tmp_path, "Q")
    first = identity_part(
        queries, IdentityWork("Q", 0, splits, (None, None), None, None, ""), LocalFolder(tmp_path), "one.parts"
    )
    assert (first.duplicates, first.late, first.greatest) == (1, 1, at(9))
    assert dropped(tmp_path, [first], 1) == {"a", "d"}
    work = IdentityWork("Q", 0, splits[1:], (at(9), None), at(6), None, "one.parts")
    again = identity_part(queries, work, LocalFolder(tmp_path), "two.parts")
    assert (again.duplicates, again.late) == (4, 0)


def test_what_a_clock_has_passed_is_late(tmp_path: Path) -> None:
    queries = hosted_of(shards=1)
    splits = splits_of(queries, tmp_path, "P")
    work = IdentityWork("P", 0, splits, (None, at(8)), at(8), at(8), "")
    assert identity_part(queries, work, LocalFolder(tmp_path), "one.parts").late == 3


@pytest.mark.parametrize("bound", [None, at(6)])
def test_what_was_seen_is_written_also_where_nothing_has_to_be_found_out(
    tmp_path: Path, bound: datetime | None
) -> None:
    """As it would be if it were."""
    queries, folder = hosted_of(shards=1), LocalFolder(tmp_path)
    split_part(queries, split_of(tmp_path, 0, [reading("a", 5), reading("b", 7)]), folder, "0.parts")
    split_part(queries, split_of(tmp_path, 1, [reading("c", 8)]), folder, "1.parts")
    first = IdentityWork("P", 0, (ReadSplit("P", 0, "0.parts", None),), (None, None), None, None, "")
    second = IdentityWork("P", 0, (ReadSplit("P", 1, "1.parts", at(7)),), (at(7), None), at(4), bound, "first.parts")
    identity_part(queries, replace(first, clear=True), folder, "first.parts")
    reports = [
        identity_part(queries, replace(second, clear=clear), folder, f"second-{clear}.parts") for clear in (True, False)
    ]
    assert [(report.duplicates, report.late) for report in reports] == [(0, 0), (0, 0)]
    seen = [PartFile(folder, report.file).table(("seen", "P", 0)) for report in reports]
    assert seen[0] == seen[1]
    assert seen[0] is not None
    assert seen[0].num_rows == (3 if bound is None else 2)
