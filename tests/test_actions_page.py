"""docs/actions.md is right: its project file is one, with an action of each kind; so are calls, and docs/states.md."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.pipeline.actions import ACTIONS, ActionCall, action_specs, make_action
from support.command_line import PROJECT, call, write_project
from support.context_examples import examples

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "actions.md").read_text(encoding="utf-8")
STATES = (DOCS / "states.md").read_text(encoding="utf-8")
(FILE,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
(RECORD,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
ASKED = re.findall(r'^kaicep ask "(.*?)" shop/$', STATES, re.MULTILINE)
(ORDERS,) = (example for example in examples("state_examples") if example.name == "9-h2o-query4-how-many")


def test_the_file_has_an_action_of_each_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose secrets are found, and whose templates are some."""
    secret = tmp_path / "ops"
    secret.write_text("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    monkeypatch.setenv("OPS_TOKEN", "Bearer x")
    monkeypatch.setenv("KAFKA_PASSWORD", "x")
    text = FILE.replace("/run/secrets/ops", str(secret))
    (tmp_path / "kaicep.toml").write_text(f"{PROJECT}\n{text}", encoding="utf-8")
    specs = action_specs(Project.load(tmp_path / "kaicep.toml").settings)
    assert {spec.settings.kind for spec in specs.values()} == set(ACTIONS)
    for spec in specs.values():
        action = make_action(spec)
        assert action.needs <= {"room", "building", "co2"}
        action.close()


def test_a_call_is_what_a_receiver_is_given() -> None:
    said = json.loads(RECORD)
    made = ActionCall(said["rule"], said["_id"], said["action"], said["_time"], json.dumps(said["arguments"]))
    assert json.loads(made.to_json()) == said


def test_the_commands_are_some(tmp_path: Path) -> None:
    project = write_project(tmp_path)
    (project / "kaicep.toml").write_text(f'{PROJECT}\n[actions.callOps]\ncommand = ["echo"]\n', encoding="utf-8")
    commands = re.findall(r"^kaicep (actions .*?) campus/( --\w+ \w+)?", PAGE, re.MULTILINE)
    assert len(commands) == 3
    for words, option in commands:
        assert call(*words.split(), project, *option.split()).exit_code == 0


def test_what_the_page_of_states_asks_has_answers() -> None:
    """Of orders as H2O has them, whose attribute is called `orderID` there."""
    project = Project.parse(ORDERS.content)
    answers = []
    for text in ASKED:
        document = f"{ORDERS.text};\n{text.replace('orderID', 'oid')}"
        answers += list(project.evaluate(document, ORDERS.streams, ask_at=ORDERS.base.replace(minute=3, second=20)))
    assert len(ASKED) == 2
    assert [row["oid"] for row in answers[:-1]]
    assert answers[-1]["waiting"] == 2
