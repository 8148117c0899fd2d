"""Dead letters of actions."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.actions.delivery.failed_calls import FailedCall, FailedCalls, table_of
from kaicep.pipeline.flow.rules import CALLS
from support.receivers import calls_table


def failed(number: int, action: str = "ops", reason: str = "no") -> FailedCall:
    time = f"1970-01-01T00:00:{number:02d}Z"
    return FailedCall(action, "r", f"r-{number}", time, f'{{"n": {number}}}', 10, reason, "2026-01-01T00:00:00Z")


def test_they_are_kept_each_once(tmp_path: Path) -> None:
    kept = FailedCalls(tmp_path / "failed.jsonl")
    kept.add([failed(1), failed(2)])
    kept.add([failed(1, reason="still no")])
    again = FailedCalls(tmp_path / "failed.jsonl")
    assert again.calls() == [failed(2), failed(1, reason="still no")]
    assert again.counts == {"ops": 2}


def test_some_are_forgotten(tmp_path: Path) -> None:
    kept = FailedCalls(tmp_path / "failed.jsonl")
    kept.add([failed(1), failed(2, "other")])
    kept.keep(lambda call: call.action == "other")
    assert FailedCalls(tmp_path / "failed.jsonl").calls() == [failed(2, "other")]


def test_they_are_calls_again() -> None:
    assert table_of([failed(1), failed(2)], CALLS) == calls_table([1, 2])
