"""What stays is not looked through for garbage, task after task; what stayed for an earlier plan is found once."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from kaicep.pipeline.executors import frozen_heap
from kaicep.pipeline.executors.frozen_heap import leave_to_stay


@pytest.fixture(autouse=True)
def _thawed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(frozen_heap, "_STAYS", set())
    yield
    gc.unfreeze()


class _Node:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_there_after_the_first_task_of_a_kind_stays() -> None:
    before = gc.get_freeze_count()
    leave_to_stay("plan", "split_part")
    first = gc.get_freeze_count()
    assert first > before
    kept = [_Node() for _ in range(1_000)]
    leave_to_stay("plan", "split_part")
    assert gc.get_freeze_count() <= first  # each task's own is looked through, as ever
    leave_to_stay("plan", "answer_part")
    assert gc.get_freeze_count() >= first + len(kept) // 2


def test_garbage_of_an_earlier_plan_is_found() -> None:
    node = _Node()
    gone = weakref.ref(node)
    leave_to_stay("one", "split_part")
    del node
    leave_to_stay("one", "answer_part")
    assert gone() is not None
    leave_to_stay("other", "split_part")
    assert gone() is None
