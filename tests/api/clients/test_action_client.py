"""What waits and has failed, asked without an engine; with one see `test_action_admin`."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.api.clients.action_client import failed_calls, retry_calls, waiting_calls
from kaicep.config import Settings
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import Lane, Outbox, outbox_folder
from support.receivers import calls_table


def test_dead_letters_wait_for_the_next_engine(tmp_path: Path) -> None:
    settings = Settings.parse({"actions": {"ops": {"command": ["true"]}}}, root=tmp_path)
    assert (waiting_calls(settings), failed_calls(settings)) == ([], [])
    outbox = Outbox(outbox_folder(tmp_path / "var/state"))
    outbox.put(1, calls_table([1, 2]))
    outbox.release(1)
    piece = outbox.take(Lane("ops", "r"), 1)
    assert piece is not None
    outbox.fail(piece, 1, "no room", 10)
    [failed] = failed_calls(settings)
    assert (failed["id"], failed["reason"]) == ("r-1", "no room")
    assert retry_calls(settings, "ops", "other") == ["0 calls that had failed go out again"]
    assert retry_calls(settings, "ops", None) == ["1 call that had failed goes out again"]
    waiting = {"action": "ops", "rule": "r", "waiting": 1, "why": None}
    assert waiting_calls(settings) == [waiting, waiting]


def test_an_action_that_is_not_there(tmp_path: Path) -> None:
    settings = Settings.parse({"actions": {"ops": {"command": ["true"]}}}, root=tmp_path)
    with pytest.raises(ConfigError, match="there is no action 'opps': did you mean 'ops'"):
        retry_calls(settings, "opps", None)


def test_a_project_without_actions_is_left_as_it_is(tmp_path: Path) -> None:
    settings = Settings.parse({}, root=tmp_path)
    assert (waiting_calls(settings), failed_calls(settings)) == ([], [])
    assert list(tmp_path.iterdir()) == []
