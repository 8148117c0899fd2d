"""A check of a project tells everything that is wrong, not only the first fault."""

from __future__ import annotations

import json
from pathlib import Path

from support.command_line import PROJECT, call, drop, line


def test_check_tells_what_there_is(project: Path) -> None:
    drop(project, "a.json", line(1, 1))
    result = call("check", project)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == (
        f"project {project / 'kaicep.toml'}\n"
        "knowledge: 4 statements in 0 modules, closed by rl\n"
        "stream air: ex:Reading, 2 attributes, json from incoming/\n"
        f"query high: {project / 'queries' / 'high.chi'}\n"
    )


def test_check_tells_every_fault_of_the_settings(project: Path) -> None:
    text = PROJECT.replace("trigger", "triger").replace("event_type", "eventtype")
    (project / "kaicep.toml").write_text(text)
    result = call("check", project)
    assert result.exit_code == 1
    assert sorted(result.stderr.splitlines()) == [
        f"{project / 'kaicep.toml'}: engine.triger: unknown key 'triger': did you mean 'trigger'?",
        f"{project / 'kaicep.toml'}: streams.air.event_type: is missing: see docs/project.md",
        f"{project / 'kaicep.toml'}: streams.air.eventtype: unknown key 'eventtype': did you mean 'event_type'?",
    ]


def test_check_tells_the_faults_of_all_queries(project: Path) -> None:
    (project / "queries" / "a.chi").write_text("SELECT ?e.flw")
    (project / "queries" / "b.chi").write_text("SELECT")
    result = call("check", project)
    assert result.exit_code == 1
    assert "query high:" in result.stdout
    assert f"{project / 'queries' / 'a.chi'}:1:11: unknown attribute 'flw' of stream 'air'" in result.stderr
    assert f"{project / 'queries' / 'b.chi'}:1:7: " in result.stderr


def test_check_warns_of_idle_contexts_only_where_all_queries_are_known(project: Path) -> None:
    """What is refused may initiate them."""
    road = "CREATE CONTEXTS road (clear DEFAULT, jam); INITIATE CONTEXT jam FROM (?e, air); SELECT ?e IN CONTEXT {}"
    (project / "queries" / "a.chi").write_text(road.format("jamm"))
    result = call("check", project)
    assert "unknown context 'jamm'" in result.stderr
    assert "did you mean 'jam'?" in result.stderr
    assert "nothing ever initiates" not in result.stderr
    (project / "queries" / "a.chi").write_text(road.format("jam").replace("INITIATE", "TERMINATE"))
    assert "nothing ever initiates context 'jam' of 'road'" in call("check", project).stderr


def test_check_tells_what_is_too_large_to_be_answered(project: Path) -> None:
    """A day that hops by 20 ms holds each event 4,320,000 times."""
    query = project / "queries" / "wide.chi"
    query.write_text("SELECT COUNT(?e) AS n WINDOW (?e, hopping, 1d, 20ms)")
    result = call("check", project)
    assert result.exit_code == 1
    assert f"{query}:1:23: each event lies in 4320000 windows, and 100000 are the most" in result.stderr
    text = PROJECT.replace("[engine]", "[engine]\nmatches_per_event = 4_320_000")
    (project / "kaicep.toml").write_text(text)
    assert "matches_per_event" in text
    assert call("check", project).exit_code == 0


def test_check_tells_where_a_filter_is_too_long_to_be_answered(project: Path) -> None:
    """It is refused where a query is registered, beyond syntax and types; and so it is here, with its place."""
    query = project / "queries" / "long.chi"
    query.write_text(f"SELECT ?e.sensor\nFILTER ({' + '.join(['?e.count'] * 200)} > 5)")
    text = PROJECT + 'count = { property = "ex:count", datatype = "xsd:integer" }\n'
    (project / "kaicep.toml").write_text(text)
    result = call("check", project)
    assert result.exit_code == 1
    assert f"{query}:2:9: an expression of integers is too long" in result.stderr
    assert "query high:" in result.stdout


def test_check_tells_of_a_path_that_nothing_connects(project: Path) -> None:
    """So does what a PATH is refused for with this knowledge."""
    rooms = "".join(f"ex:room{i} a ex:Room .\n" for i in range(1001))
    (project / "rooms.ttl").write_text(f"@prefix ex: <urn:ex:> .\n{rooms}")
    (project / "kaicep.toml").write_text(PROJECT + '\n[knowledge]\nmodules = ["rooms.ttl"]\n')
    query = project / "queries" / "apart.chi"
    query.write_text("SELECT ?e.sensor PATH { ?e ex:sensor ?s . ?room a ex:Room }")
    result = call("check", project)
    assert result.exit_code == 1
    assert f"{query}:1:43: nothing in this PATH connects ?room with ?e" in result.stderr


def test_check_tells_two_queries_of_one_name(project: Path) -> None:
    for file in ("first.chi", "second.chi"):
        (project / "queries" / file).write_text("CREATE QUERY twice AS SELECT ?e.flow")
    result = call("check", project)
    assert result.exit_code == 1
    assert "twice" in result.stderr


def test_check_tells_the_faults_of_all_annotations_and_skips_the_queries(project: Path) -> None:
    text = PROJECT.replace("ex:Reading", "nope:Reading")
    other = text[text.index("[streams.air]") :].replace("streams.air", "streams.water")
    (project / "kaicep.toml").write_text(text + other)
    result = call("check", project)
    assert result.exit_code == 1
    faults = result.stderr.splitlines()
    assert [fault.split("streams.")[1].split(".")[0] for fault in faults[:2]] == ["air", "water"]
    assert faults[2:] == ["not checked: queries, since not all streams can be annotated"]


def test_check_tells_a_pattern_without_files(project: Path) -> None:
    drop(project, "a.json", line(1, 1))
    (project / "queries" / "high.chi").unlink()
    result = call("check", project)
    assert result.exit_code == 1
    assert result.stderr == (
        f"{project / 'kaicep.toml'}: queries.files: no file matches 'queries/*.chi': patterns start from {project}\n"
    )


def test_check_with_events_reports_how_they_go_with_the_project(project: Path) -> None:
    result = call("check", project, "--events", project / "events.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-3:] == [
        "stream air: 3 events",
        "query high: 2 rows",
        "  ?e: 3 of air → 2 FILTER (?e.flow > 50)",
    ]


def test_check_with_events_tells_what_cannot_be_used_and_why_nothing_comes(project: Path) -> None:
    (project / "events.jsonl").write_text(line(1, 40) + "5\n")
    empty = project / "empty.jsonl"
    empty.write_text("")
    result = call("check", project, "-e", project / "events.jsonl", "-e", f"air={empty}")
    assert result.stdout.splitlines()[-1] == (
        "  no row: ?e: FILTER (?e.flow > 50) is true of none of 1 events; flow is 40 to 40"
    )
    assert result.stderr.splitlines() == [
        f"{empty} has no record: it is empty, or has a header alone",
        f"{project / 'events.jsonl'}:2: a number instead of an object",
    ]


def test_check_with_events_of_a_project_without_queries(project: Path) -> None:
    for path in project.rglob("*.chi"):
        path.unlink()
    result = call("check", project, "--events", project / "events.jsonl")
    assert "stream air: 3 events" in result.stdout
    assert "Traceback" not in result.stderr
    assert not isinstance(result.exception, IndexError)


def test_check_with_events_that_cannot_be_read_is_a_fault(project: Path) -> None:
    result = call("check", project, "-e", project / "event.jsonl")
    assert result.exit_code == 1
    assert result.stderr.endswith("did you mean 'events.jsonl'?\n")


def test_check_gives_json(project: Path) -> None:
    found = json.loads(call("check", project, "-e", project / "events.jsonl", "--format", "json").stdout)
    assert (found["faults"], found["warnings"]) == ([], [])
    assert found["found"][-1] == f"query high: {project / 'queries' / 'high.chi'}"
    assert found["mapping"]["queries"][0]["rows"]["reported"] == 2
    assert json.loads(call("check", project, "--format", "json").stdout)["mapping"] is None


def test_check_names_queries_as_a_run_does_and_tells_of_contexts(project: Path) -> None:
    """Those that change a context have no name of their own."""
    (project / "queries" / "situations.chi").write_text(
        "CREATE CONTEXTS air (calm DEFAULT, windy, stormy);\n"
        "SWITCH CONTEXT windy FROM (?e, air) IN CONTEXT calm WHERE { FILTER (?e.flow > 5) };\n"
        "SWITCH CONTEXT windy FROM (?e, air) IN CONTEXT stormy WHERE { FILTER (?e.flow < 9) };\n"
        "INITIATE CONTEXT stormy FROM (?e, air) WHERE { FILTER (?e.flow > 9) }\n"
    )
    result = call("check", project)
    assert result.exit_code == 0
    told = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert told[-4:] == [
        "query air.windy.switch",
        "query air.windy.switch-2",
        "query air.stormy.initiate",
        "contexts air",
    ]
    assert result.stdout.endswith("contexts air: calm, windy, stormy\n")


def test_check_refuses_what_is_asked_of_queries_that_there_are_not(project: Path) -> None:
    drop(project, "a.json", line(1, 1))
    file = project / "kaicep.toml"
    file.write_text(PROJECT + '[queries.hihg]\nlatency = "5s"\n')
    result = call("check", project)
    assert result.exit_code == 1
    assert result.stderr == f"{file}: queries.hihg: the project has no query 'hihg': did you mean 'high'?\n"
    file.write_text(PROJECT + '[queries.high]\nlatency = "5s"\n[queries.count]\nshed = "sample 5%"\n')
    (project / "queries" / "count.chi").write_text("SELECT COUNT(?h) AS n FROM (?h, fast) WINDOW (?h, batch, 1min)")
    (project / "queries" / "a.chi").write_text("CREATE QUERY fast AS SELECT ?e.flow AS flow FROM (?e, air)")
    result = call("check", project)
    assert result.exit_code == 1
    expected = "queries.count.shed: 'count' reads no stream of the project: let the queries shed that it reads"
    assert result.stderr == f"{file}: {expected}\n"
