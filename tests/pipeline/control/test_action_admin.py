"""The actions of a running engine, asked by another process."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.api.clients import failed_calls, retry_calls, waiting_calls
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.pipeline.actions import outbox_folder
from kaicep.pipeline.control import Requests
from kaicep.pipeline.control.action_admin import ActionAdmin, has_actions
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.sources import RawBatch, raw_table
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


ACTIONS = ("good", "failing", "busy", "silent", "program", "function")
NOTE = "import json, sys; open('program.jsonl', 'a').write(json.dumps(json.load(sys.stdin)) + '\\n')"
FUNCTION = "import json\ndef note(call): open('function.jsonl', 'a').write(json.dumps(call) + '\\n')\n"


def test_bad_receivers_of_rules_lose_nothing_and_hold_up_nobody(tmp_path: Path) -> None:
    """One that answers 500, one that asks for patience, one that never answers: beside receivers that take all."""
    (tmp_path / "notes.py").write_text(FUNCTION)
    busy = iter([(429, {"Retry-After": "1"})])
    with web_receiver() as good, web_receiver() as other, socket.create_server(("127.0.0.1", 0)) as silent:
        paths: dict[str, tuple[int, dict[str, str]]] = {"failing": (500, {})}
        other.answer = lambda r: next(busy, (200, {})) if r.path == "/busy" else paths.get(r.path[1:], (200, {}))
        hung = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        project = _project(
            tmp_path, {"good": good.url, "failing": f"{other.url}failing", "busy": f"{other.url}busy", "silent": hung}
        )
        admin = ActionAdmin(project.settings, lambda _: None)
        flow = CheckpointedFlow(project, tmp_path / "var/state", (), None, say=lambda _: None, outbox=admin.calls)
        rules = "; ".join(f"CREATE RULE to_{name} ON air DO CALL {name}(?row.x AS x)" for name in ACTIONS)
        flow.queries.submit(project.registrations(rules, "rules"))
        for number in (1, 2, 3):
            rows = [{"t": f"2026-01-01T00:00:0{number}Z", "x": number}]
            flow.run(number, {"air": RawBatch(raw_table(rows))})
        assert eventually(lambda: [call["arguments"]["x"] for r in good.requests for call in r.calls] == [1, 2])
        assert eventually(lambda: len(failed_calls(project.settings)) == 4)
        failed = {(call["action"], call["rule"], call["reason"]) for call in failed_calls(project.settings)}
        assert failed == {
            ("failing", "to_failing", "the receiver answers 500"),
            ("silent", "to_silent", "the receiver does not answer in time"),
        }
        assert eventually(lambda: waiting_calls(project.settings) == [])
        for name in ("program", "function"):
            assert [
                json.loads(line)["arguments"]["x"] for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()
            ] == [1, 2]
        paths.clear()
        assert retry_calls(project.settings, "failing", None) == ["2 calls that had failed go out again"]
        assert eventually(lambda: len(failed_calls(project.settings)) == 2)
        assert eventually(lambda: len(other.requests) == 4)
        taken = {
            name: [c["arguments"]["x"] for r in other.requests if r.path == f"/{name}" for c in r.calls]
            for name in ("busy", "failing")
        }
        assert taken == {"busy": [1, 2], "failing": [1, 2]}
        flow.close()
        admin.close()


def _project(root: Path, hooks: dict[str, str]) -> Project:
    """A stream, and an action of each name."""
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "identity": ["x"],
        "attributes": {"x": {"datatype": "xsd:integer"}},
    }
    soon = {"backoff": "10ms", "timeout": "300ms", "tries": 2}
    actions = {name: {"webhook": {"url": url}, **soon} for name, url in hooks.items()}
    actions |= {"program": {"command": [sys.executable, "-c", NOTE]}, "function": {"python": "notes:note"}}
    content = {"streams": {"air": stream}, "archive": {"enabled": False}, "actions": actions}
    return Project.parse(content, root=root)
