"""Every kind that the project file knows is one."""

from __future__ import annotations

from pathlib import Path

from kaicep.config import Settings
from kaicep.pipeline.actions import ACTIONS, receivers_of
from kaicep.settings import ACTION_KINDS
from support.receivers import action


def test_every_kind_is_there() -> None:
    assert tuple(ACTIONS) == ACTION_KINDS


def test_each_thread_has_its_own(tmp_path: Path) -> None:
    [receiver] = receivers_of(Settings.parse({"actions": {"ops": {"command": ["true"]}}}, root=tmp_path)).values()
    assert receiver.make() is not receiver.make()
    assert receiver.settings.tries == 10


def test_how_many_calls_each_takes_at_once(tmp_path: Path) -> None:
    mqtt = {"broker": "b", "topic": "t"}
    assert action(tmp_path, mqtt=mqtt).batch == 100
    assert action(tmp_path, command=["true"]).batch == 1
