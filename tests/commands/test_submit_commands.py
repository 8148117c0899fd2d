"""Queries are submitted, listed and withdrawn."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import CeilingError
from kaicep.pipeline.actions import Lane, Outbox, outbox_folder
from kaicep.pipeline.durability.journal import BatchJournal
from kaicep.pipeline.flow import ParkedQueries, ParkedQuery
from kaicep.pipeline.monitoring import status_bytes
from support.command_line import HIGH, call, line, rights_of_others
from support.receivers import calls_table
from support.sampling import some_of
from support.statuses import busy_engine


def test_queries_are_submitted_listed_and_withdrawn(project: Path) -> None:
    """Without an engine they wait for one."""
    done = call("submit", HIGH.replace("50", "60"), "--name", "higher", "-p", project)
    assert (done.exit_code, done.stdout) == (0, "higher: registered, it is answered when an engine starts\n")
    listed = call("queries", "-p", project)
    assert json.loads(listed.stdout) == {
        "query": "higher", "state": "waits", "matches": None, "from": "submitted", "now": None,
        "parked": None,
    }  # fmt: skip
    assert call("withdraw", "higher", "-p", project).stdout == "higher: withdrawn\n"
    refused = call("submit", "SELECT ?e.flow JOIN (?e.flow > ?f.flow)", "--retention", "soon", "-p", project)
    assert refused.exit_code == 2
    assert "'soon'" in refused.stderr


def test_a_project_is_named_by_the_last_argument_or_by_an_option(project: Path) -> None:
    """As `kaicep status` takes it; named twice or not at all it is asked for."""
    assert call("submit", HIGH, project, "--name", "higher").exit_code == 0
    assert call("queries", project).stdout == call("queries", "-p", project).stdout != ""
    assert call("withdraw", "higher", project).stdout == "higher: withdrawn\n"
    assert call("resume", "higher", project).stderr == call("resume", "higher", "-p", project).stderr
    assert call("status", project).stderr == call("status", "-p", project).stderr
    for arguments in ((), (project, "-p", project)):
        refused = call("queries", *arguments)
        assert refused.exit_code == 2
        assert "PROJECT" in refused.stderr


@pytest.mark.parametrize("count", some_of([200, 400, 700], 1))
@pytest.mark.parametrize("clause", ["SELECT {} AS total", "SELECT ?e.n AS n FILTER ({} > 5)"])
def test_a_sum_that_is_too_long_is_refused_with_its_place(project: Path, clause: str, count: int) -> None:
    """By whatever would answer the query; nothing is submitted that would keep an engine from starting."""
    file = project / "kaicep.toml"
    file.write_text(file.read_text() + 'n = { property = "ex:n", datatype = "xsd:integer" }\n')
    text = clause.format(" + ".join(["?e.n"] * count))
    place = ":1:1: " if count == 700 else f":1:{text.index('?e.n +') + 1}: "
    (project / "events.jsonl").write_text(line(1, 2.0))
    for command in (("submit", text, project), ("try", text, "-p", project, "-e", project / "events.jsonl")):
        refused = call(*command)
        assert refused.exit_code == 1
        assert place in refused.stderr
        assert "too long" in refused.stderr
        assert "^" in refused.stderr
    assert call("queries", project).stdout == ""


def test_what_a_sum_that_is_too_long_is_told_to_do_helps(project: Path) -> None:
    file = project / "kaicep.toml"
    file.write_text(file.read_text() + 'n = { property = "ex:n", datatype = "xsd:integer" }\n')
    half = " + ".join(["?e.n"] * 100)
    parts = f"CREATE QUERY parts AS SELECT {half} AS a, {half} AS b"
    done = call("submit", f"{parts}; CREATE QUERY total AS SELECT ?p.a + ?p.b AS total FROM (?p, parts)", project)
    assert (done.exit_code, done.stdout.count("registered")) == (0, 2)


def test_others_may_not_read_what_is_submitted(project: Path) -> None:
    call("submit", HIGH, "--name", "high", "-p", project)
    call("submit", HIGH, "--name", "higher", "-p", project)
    call("withdraw", "high", "-p", project)
    assert (project / "var" / "state" / "queries" / "documents").is_dir()
    assert rights_of_others(project / "var") == set()


def test_the_status_of_an_engine_is_printed(project: Path) -> None:
    never = call("status", project)
    assert never.exit_code == 1
    assert "no engine has run this project" in never.stderr
    file = project / "var" / "state" / "status.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(status_bytes(busy_engine(datetime.now(UTC))))
    told = call("status", project)
    assert told.exit_code == 0
    assert told.stdout.startswith("engine: killed, process 4711")
    assert json.loads(call("status", project, "--json").stdout)["batches"] == 12


def test_parked_queries_are_listed_and_resumed(project: Path) -> None:
    """Without an engine they go on with the next start; what that reads is tested with `QueryParking`."""
    parked = ParkedQueries()
    parked.add(ParkedQuery("pairs", 7, CeilingError("too much"), "SELECT", None, None))
    state = Settings.load(project).path("var/state")
    BatchJournal(state / "queries" / "batches.jsonl", state).finish(7, parked.snapshot())
    listed = call("queries", "-p", project)
    assert json.loads(listed.stdout) == {
        "query": "pairs", "state": "parked", "matches": None, "from": "run", "now": None,
        "parked": "parked since batch 7: too much",
    }  # fmt: skip
    refused = call("resume", "pear", "-p", project)
    assert (refused.exit_code, refused.stderr) == (1, "'pear' is not parked: parked: pairs\n")
    done = call("resume", "pairs", "-p", project)
    assert done.stdout == "pairs: goes on with what it has missed when an engine starts\n"
    assert json.loads((state / "queries" / "resumptions.json").read_text()) == {"pairs": None}
    waits = json.loads(call("queries", "-p", project).stdout)
    assert (waits["query"], waits["state"], waits["parked"]) == ("pairs", "waits", None)


def test_a_query_is_parked_by_who_works_here(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an engine it is parked with the next start; resumed before, nothing has happened."""
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    done = call("park", "high", "-p", project)
    assert done.stdout == "high: parked when an engine starts, with what reads it, until it is resumed\n"
    listed = json.loads(call("queries", "-p", project).stdout)
    assert (listed["query"], listed["state"], listed["parked"]) == ("high", "parked", "'high' was parked by ada")
    again = call("park", "high", project)
    assert (again.exit_code, again.stderr) == (1, "'high' is parked already: kaicep resume high lets it go on\n")
    unknown = call("park", "hihg", project)
    assert (unknown.exit_code, unknown.stderr) == (1, "no query 'hihg' is registered: did you mean 'high'?\n")
    assert call("resume", "high", project).stdout == "high: goes on with what it has missed when an engine starts\n"
    assert call("queries", "-p", project).stdout == ""
    assert call("submit", HIGH, "--name", "hot", project).exit_code == 0
    assert call("park", "hot", project).exit_code == 0
    assert call("withdraw", "hot", project).exit_code == 0
    assert call("submit", HIGH, "--name", "hot", project).exit_code == 0
    assert json.loads(call("queries", "-p", project).stdout)["state"] == "waits"


def test_calls_are_listed_and_go_out_again(project: Path) -> None:
    with (project / "kaicep.toml").open("a") as file:
        file.write('\n[actions.ops]\ncommand = ["true"]\n')
    outbox = Outbox(outbox_folder(project / "var/state"))
    outbox.put(1, calls_table([1, 2]))
    outbox.release(1)
    piece = outbox.take(Lane("ops", "r"), 1)
    assert piece is not None
    outbox.fail(piece, 1, "no room", 10)
    assert json.loads(call("actions", "waiting", project).stdout)["waiting"] == 1
    assert json.loads(call("actions", "failed", project).stdout)["reason"] == "no room"
    assert call("actions", "retry", project).stdout == "1 call that had failed goes out again\n"
    assert call("actions", "failed", "-p", project).stdout == ""


def test_check_tells_what_is_wrong_with_actions(project: Path) -> None:
    with (project / "kaicep.toml").open("a") as file:
        file.write('\n[actions.ops]\ncommand = ["no-such-program"]\n[actions.good]\ncommand = ["true"]\n')
    checked = call("check", project)
    assert checked.exit_code == 1
    assert "actions.ops.command: there is no program 'no-such-program'" in checked.output
    assert "action good: command" in checked.output
