"""A check tells which CALL gives less than the templates of its action need."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project, QueryTypeError
from support.command_line import PROJECT, call, write_project

ACTIONS = {
    "siren": 'command = ["echo", "{room}: {flow}", "{rule} {action} {_id} {_time}"]',
    "post": 'mail = { smtp = "h", sender = "a@b.example", to = ["c@d.example"], subject = "{room}", body = "{flow}" }',
    "board": 'mqtt = { broker = "h", topic = "{room}/{flow}" }',
    "history": 'kafka = { servers = "h:9092", topic = "{room}", key = "{flow}" }',
    "close": '"kaicep:knowledge" = "INSERT DATA { <urn:{room}> <urn:flow> $flow }"',
    "watch": '"kaicep:submit" = { name = "w_{room}", query = "SELECT ?e.flow FILTER (?e.flow > $flow)" }',
    "unwatch": '"kaicep:withdraw" = "w_{room}_{flow}"',
}


@pytest.mark.parametrize("name", ACTIONS)
def test_a_call_without_what_a_template_needs_is_a_fault(name: str, tmp_path: Path) -> None:
    """The rule's name and the like are always there."""
    project = write_project(tmp_path)
    (project / "kaicep.toml").write_text(f"{PROJECT}\n[actions.{name}]\n{ACTIONS[name]}\n")
    rule = f"CREATE RULE tell ON air DO CALL {name}(?row.flow AS flow%s)"
    (project / "queries" / "tell.chi").write_text(rule % "")
    result = call("check", project)
    assert result.exit_code == 1
    assert f"tell.chi:1:33: a template of action '{name}' needs 'room', which CALL does not give" in result.stderr
    assert f"write … AS room among its arguments, or change [actions.{name}]" in result.stderr
    (project / "queries" / "tell.chi").write_text(rule % ", 'r' AS room")
    result = call("check", project)
    assert (result.exit_code, "template" in result.stderr) == (0, False)
    assert f"action {name}: " in result.stdout


def test_whoever_registers_it_refuses_it(tmp_path: Path) -> None:
    """With its place; without an engine, too, which would have to make dead letters of all calls."""
    project = write_project(tmp_path)
    (project / "kaicep.toml").write_text(f"{PROJECT}\n[actions.siren]\n{ACTIONS['siren']}\n")
    rule = "CREATE RULE tell ON air DO CALL siren(?row.flow AS flow)"
    for command in ("submit", "explain"):
        result = call(command, rule, "-p", project)
        assert result.exit_code == 1
        assert ":1:33: a template of action 'siren' needs 'room', which CALL does not give" in result.stderr
    assert "no query was submitted" in call("queries", project).stderr
    given = Project.load(project / "kaicep.toml")
    with pytest.raises(QueryTypeError, match="needs 'room'"):
        given.registrations(rule, "tell.chi")
    assert given.compile(rule)


def test_both_are_told_of_an_action_that_could_not_begin(tmp_path: Path) -> None:
    project = write_project(tmp_path)
    (project / "kaicep.toml").write_text(f'{PROJECT}\n[actions.siren]\ncommand = ["no-such-program", "{{room}}"]\n')
    (project / "queries" / "tell.chi").write_text("CREATE RULE tell ON air DO CALL siren(?row.flow AS flow)")
    result = call("check", project)
    assert result.exit_code == 1
    assert "actions.siren.command: there is no program 'no-such-program'" in result.stderr
    assert "a template of action 'siren' needs 'room'" in result.stderr


def test_an_action_that_cannot_be_made_needs_nothing(tmp_path: Path) -> None:
    project = write_project(tmp_path)
    (project / "kaicep.toml").write_text(f'{PROJECT}\n[actions.siren]\ncommand = ["echo", "{{room"]\n')
    (project / "queries" / "tell.chi").write_text("CREATE RULE tell ON air DO CALL siren(?row.flow AS flow)")
    result = call("check", project)
    assert result.exit_code == 1
    assert "actions.siren.command" in result.stderr
    assert "a template of action" not in result.stderr
