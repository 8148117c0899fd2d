"""The windows of a set as bytes: all that is known comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kaicep.cep.contexts import Change, HeldWindow, Turn
from kaicep.cep.contexts.context_changes import PartitionHistory
from kaicep.cep.contexts.history_snapshot import HistorySnapshot
from kaicep.cep.partitions import NO_END, NO_START
from kaicep.language.nodes import ChangeKind

SAID = {"at": datetime(2024, 1, 1, tzinfo=UTC), "of": timedelta(microseconds=1), "v": 3, "w": None, "name": "ä"}
ENDED = HeldWindow("jam", "1", 5, 8, 5, 8, SAID)
OPEN = HeldWindow("accident", "1", 6, NO_END, 6, NO_END)


def test_what_was_kept_comes_back() -> None:
    default = HeldWindow("clear", "1", NO_START, 5, NO_START, 5)
    kept = HistorySnapshot(
        {"1": PartitionHistory((1, "x"), (ENDED,), (OPEN,), 3)},
        [default, ENDED],
        [Turn(5, "clear", "ended", NO_START, (1, "x"))],
        [Change(9, ChangeKind.SWITCH, "jam", "1", (1, "x"), SAID, (2**63 - 1, 7), ("jam", "accident"))],
    )
    assert HistorySnapshot.decoded(kept.encoded()) == kept


def test_of_a_set_that_never_changed_nothing_is_kept() -> None:
    assert HistorySnapshot.decoded(HistorySnapshot({}, [], [], []).encoded()) == HistorySnapshot({}, [], [], [])
