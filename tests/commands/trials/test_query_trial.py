"""`kaicep try`, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.pipeline.sources import recorded_batches
from support.command_line import HIGH, call, line


def test_rows_are_printed_in_every_form_whatever_the_batches(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "events.jsonl"
    path.write_text("".join(line(second, 40 + second) for second in range(60)))
    arguments = ("try", HIGH, "-e", path, "-p", project, "--format")
    whole = {form: call(*arguments, form).stdout for form in ("json", "csv", "table")}
    assert len(whole["json"].splitlines()) == 49
    assert json.loads(whole["json"].splitlines()[-1])["flow"] == 99.0
    monkeypatch.setattr(recorded_batches, "_BYTES", 256)
    assert {form: call(*arguments, form).stdout for form in whole} == whole


def test_a_wrong_query_is_refused_before_the_events_are_read(project: Path) -> None:
    result = call("try", "SELECT ?e.nope", "-e", project / "none.jsonl", "-p", project)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "unknown attribute 'nope'" in result.stderr


def test_queries_without_a_name_are_called_by_their_file_and_place(project: Path) -> None:
    path = project / "high.chi"
    path.write_text(f"{HIGH}; CREATE QUERY high AS {HIGH}; {HIGH}")
    told = call("try", path, "-e", project / "events.jsonl", "-p", project).stderr
    assert [text for text in told.splitlines() if text.startswith("query ")] == [
        "query high.chi 1: 2 rows",
        "query high: 2 rows",
        "query high.chi 3: 2 rows",
    ]


def test_a_rule_shows_its_calls_and_makes_none(project: Path) -> None:
    rule = "CREATE RULE r ON air IF (?row.flow > 60) DO CALL go(?row.flow AS flow)"
    found = call("try", rule, "-e", project / "events.jsonl", "-p", project)
    *_, shown = [json.loads(text) for text in found.stdout.splitlines()]
    assert (shown["rule"], shown["action"], shown["arguments"]) == ("r", "go", {"flow": 70.0})


def test_calls_of_rules_are_counted_and_what_the_project_has_not_is_told(project: Path) -> None:
    rule = "CREATE RULE r ON air IF (?row.flow > 60) DO CALL go(?row.flow AS flow), CALL stay()"
    told = call("try", f"{rule}; {HIGH}", "-e", project / "events.jsonl", "-p", project).stderr
    assert told.splitlines()[-1] == "calls of rule r: 2 of go, 2 of stay"
    assert "warning: query:1:50: the project has no action 'go'" in told
    assert "declare it: [actions.stay]" in told
    with (project / "kaicep.toml").open("a") as file:
        file.write('\n[actions.go]\ncommand = ["true"]\n[actions.stay]\ncommand = ["true"]\n')
    assert "warning" not in call("try", f"{rule}; {HIGH}", "-e", project / "events.jsonl", "-p", project).stderr


def test_no_row_has_a_reason(project: Path) -> None:
    told = call("try", HIGH.replace("50", "500"), "-e", project / "events.jsonl", "-p", project).stderr
    assert told.splitlines()[-1] == "  no row: ?e: FILTER (?e.flow > 500) is true of none of 3 events; flow is 40 to 70"
    (project / "empty.jsonl").write_text("")
    lines = call("try", HIGH, "-e", project / "empty.jsonl", "-p", project).stderr.splitlines()
    assert lines[0] == f"{project / 'empty.jsonl'} has no record: it is empty, or has a header alone"
    assert lines[-1] == "  no row: ?e: stream air has brought no record"


def test_what_changes_contexts_is_called_by_that_also_in_other_files(project: Path) -> None:
    """Contexts of a file of the project, which a query in another one asks in and changes."""
    contexts = "CREATE CONTEXTS level (low DEFAULT, high); INITIATE CONTEXT high FROM (?e, air) FILTER (?e.flow > 60)"
    (project / "queries").mkdir(exist_ok=True)
    (project / "queries" / "0.chi").write_text(contexts)
    settings = (project / "kaicep.toml").read_text()
    if "[queries]" not in settings:
        (project / "kaicep.toml").write_text(settings + '\n[queries]\nfiles = ["queries/*.chi"]\n')
    path = project / "events.jsonl"
    path.write_text("".join(line(second, 40 + second) for second in range(60)))
    text = "TERMINATE CONTEXT high FROM (?e, air) FILTER (?e.flow > 70); SELECT ?e.flow FROM (?e, air) IN CONTEXT high"
    result = call("try", text, "-e", path, "-p", project, "--format", "json")
    assert [json.loads(row)["flow"] for row in result.stdout.splitlines()][:2] == [62.0, 63.0]
    assert "query level.high.terminate: " in result.stderr
    only = call("try", "CREATE CONTEXTS other (a DEFAULT)", "-e", path, "-p", project)
    assert "the document asks nothing" in only.stderr
