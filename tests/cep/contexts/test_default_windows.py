"""The default: between what queries and calendars have hold."""

from __future__ import annotations

from datetime import UTC, datetime

from kaicep.cep.contexts import HeldWindow
from kaicep.cep.contexts.context_changes import PartitionHistory
from kaicep.cep.contexts.default_windows import DefaultWindows, windows_of_stretches
from kaicep.cep.partitions import NO_END, NO_START

HOUR = 3_600_000_000
DAY = int(datetime(2024, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000


def window(since: int, until: int) -> HeldWindow:
    return HeldWindow("jam", "1", since, until, since, until)


def spans(found: list[HeldWindow]) -> list[tuple[int, int]]:
    return [(w.since, w.until) for w in found]


def test_it_holds_between_windows_that_may_overlap() -> None:
    default = DefaultWindows("clear", {})
    partition = PartitionHistory((1,), (window(2, 5), window(4, 7)), (window(9, NO_END),))
    assert spans(default.between("1", partition, 0, 10)) == [(NO_START, 2), (7, 9)]
    assert default.at("1", partition, 10) is None


def test_behind_what_was_forgotten_it_begins_where_that_ended() -> None:
    default = DefaultWindows("clear", {})
    partition = PartitionHistory((1,), free=8)
    held = default.at("1", partition, 10)
    assert held is not None
    assert spans([held]) == spans(default.between("1", partition, 0, 10)) == [(8, NO_END)]


def test_where_nothing_has_changed_it_always_holds() -> None:
    held = DefaultWindows("clear", {}).at("1", None, 10)
    assert held is not None
    assert (held.since, held.start, held.until) == (NO_START, NO_START, NO_END)


def test_a_stretch_holds_from_its_beginning_on() -> None:
    (found,) = windows_of_stretches("day", "1", [(DAY, DAY + HOUR)])
    assert (found.since, found.until, found.start, found.end) == (DAY - 1, DAY + HOUR - 1, DAY, DAY + HOUR)
