"""The actions of a running engine, asked by another process."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.pipeline.actions import outbox_folder
from kaicep.pipeline.control import Requests
from kaicep.pipeline.control.action_admin import ActionAdmin, has_actions
from support.receivers import calls_table, eventually, web_receiver


def test_dead_letters_go_out_again_when_somebody_asks(tmp_path: Path) -> None:
    said: list[str] = []
    with web_receiver() as receiver:
        hook = {"webhook": {"url": receiver.url}, "tries": 1}
        settings = Settings.parse({"actions": {"ops": hook}}, root=tmp_path)
        receiver.answer = lambda _: (500, {})
        admin = ActionAdmin(settings, said.append)
        admin.calls.put(1, calls_table([1]))
        admin.calls.release(1)
        assert eventually(lambda: admin.calls.counts()["ops"].failed == 1)
        receiver.answer = lambda _: (200, {})
        asking = Requests(outbox_folder(tmp_path / "var/state"))
        assert asking.engine_runs()
        assert [call["reason"] for call in asking.ask({"failed": True})] == ["the receiver answers 500"]
        assert asking.ask({"retry": "ops", "rule": None}) == 1
        assert eventually(lambda: receiver.ids() == ["r-1"])
        assert eventually(lambda: asking.ask({"waiting": True}) == [])
        admin.close()
    assert said == ["actions: 1 calls that had failed go out again"]


def test_only_one_engine_has_the_outbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.pipeline.control.requests._PATIENCE_S", 0.1)
    settings = Settings.parse({"actions": {"ops": {"command": ["true"]}}}, root=tmp_path)
    admin = ActionAdmin(settings, print)
    with pytest.raises(PipelineError, match="runs this project"):
        ActionAdmin(settings, print)
    admin.close()
    ActionAdmin(settings, print).close()


def test_what_is_wrong_with_an_action_is_told_when_the_engine_begins(tmp_path: Path) -> None:
    settings = Settings.parse({"actions": {"ops": {"webhook": {"url": "env:NO_SUCH"}}}}, root=tmp_path)
    for _ in range(2):  # the lock was given back
        with pytest.raises(ConfigError, match="the environment has no variable 'NO_SUCH'"):
            ActionAdmin(settings, print)


def test_a_project_without_actions_has_them_as_long_as_calls_wait(tmp_path: Path) -> None:
    assert not has_actions(Settings.parse({}, root=tmp_path))
    outbox_folder(tmp_path / "var/state").mkdir(parents=True)
    assert has_actions(Settings.parse({}, root=tmp_path))
