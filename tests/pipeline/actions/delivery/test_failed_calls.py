"""Dead letters of actions."""

from __future__ import annotations

from pathlib import Path

import pytest
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


def test_that_some_are_lost_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "failed.jsonl"
    FailedCalls(path).add([failed(1), failed(2)])
    path.write_bytes(path.read_bytes()[:-4])
    assert FailedCalls(path).counts == {"ops": 1}
    assert "1 lines are damaged: so many calls that had failed are lost" in caplog.text


def test_that_some_are_lost_while_the_file_is_in_use_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And what is left of them outlives a retry of the others."""
    path = tmp_path / "failed.jsonl"
    kept = FailedCalls(path)
    kept.add([failed(1), failed(2), failed(3)])
    harmed = path.read_bytes().replace(b'"r-2"', b'"r?2"')
    path.write_bytes(harmed)
    assert [kept.calls(), kept.calls()] == [[failed(1), failed(3)]] * 2
    assert caplog.text.count("1 lines are damaged: so many calls that had failed are lost") == 1
    kept.keep(lambda call: call.id == "r-3")
    assert kept.calls() == FailedCalls(path).calls() == [failed(3)]
    assert path.with_suffix(".damaged").read_bytes() == harmed
    assert "what is left of its damaged lines is in failed.damaged" in caplog.text


def test_some_are_forgotten(tmp_path: Path) -> None:
    kept = FailedCalls(tmp_path / "failed.jsonl")
    kept.add([failed(1), failed(2, "other")])
    kept.keep(lambda call: call.action == "other")
    assert FailedCalls(tmp_path / "failed.jsonl").calls() == [failed(2, "other")]


def test_they_are_calls_again() -> None:
    assert table_of([failed(1), failed(2)], CALLS) == calls_table([1, 2])
