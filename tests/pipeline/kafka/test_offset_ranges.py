"""How far a batch goes, and which ranges are in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.pipeline.kafka.offset_ranges import OffsetRange, Offsets, count, limited, ranges

NUMBERS = st.dictionaries(st.sampled_from(["0", "1", "2", "10"]), st.integers(0, 50))
OFFSETS = st.dictionaries(st.sampled_from(["a", "b"]), NUMBERS)


def ahead(start: Offsets, more: Offsets) -> Offsets:
    return {t: {p: start.get(t, {}).get(p, 0) + n for p, n in of.items()} for t, of in more.items()}


@given(OFFSETS, OFFSETS, st.integers(1, 60))
def test_a_limit_is_kept_and_everything_comes_in_the_end(start: Offsets, more: Offsets, most: int) -> None:
    end, at, batches = ahead(start, more), start, 0
    whole = count(start, end)
    while count(at, end):
        upto = limited(at, end, most)
        taken = count(at, upto)
        assert 1 <= taken <= most
        at, batches = {t: {**at.get(t, {}), **upto.get(t, {})} for t in {**at, **upto}}, batches + 1
    assert batches <= whole


def test_each_partition_gets_its_share() -> None:
    end = {"a": {"0": 300, "1": 100}}
    assert limited({"a": {"0": 0, "1": 0}}, end, 40) == {"a": {"0": 30, "1": 10}}
    assert limited({}, end, 400) == end


def test_ranges_come_by_topic_and_partition() -> None:
    found = ranges({"b": {"0": 1}, "a": {"2": 5}}, {"b": {"0": 3}, "a": {"10": 1, "2": 7}}, lambda _: {})
    assert [(one.topic, one.partition, one.start, one.end) for one in found] == [
        ("a", 2, 5, 7),
        ("a", 10, 0, 1),
        ("b", 0, 1, 3),
    ]


@pytest.mark.parametrize(
    ("start", "end", "first", "wanted"),
    [
        (2, 9, 2, OffsetRange("a", 0, 2, 9)),
        (2, 9, 5, OffsetRange("a", 0, 5, 9, "offsets 2 to 4 of a/0 were deleted before they were read")),
        (2, 9, 12, OffsetRange("a", 0, 9, 9, "offsets 2 to 8 of a/0 were deleted before they were read")),
        (9, 4, 1, OffsetRange("a", 0, 1, 4, "a/0 was begun anew: it ends with offset 3, and 9 was read next")),
    ],
)
def test_what_is_gone_is_told(start: int, end: int, first: int, wanted: OffsetRange) -> None:
    assert ranges({"a": {"0": start}}, {"a": {"0": end}}, lambda _: {"a/0": first}) == [wanted]


def test_nobody_is_asked_where_there_is_nothing() -> None:
    assert ranges({"a": {"0": 4}}, {"a": {"0": 4}}, lambda _: pytest.fail("asked")) == []
