"""Commands that look at queries: try, explain in words and as automata, why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import HIGH, PROJECT, PROPERTIES, call

EVENT = '{"sensor": "s1", "at": "2026-01-01T00:00:01Z", "flow": 40}'
RISE = (
    "SELECT ?a.flow AS flow FROM (?a, air), (?b, air) FILTER (?a.flow > 50) JOIN (?b.flow > PREV(?b.flow)) "
    "SEQ (?a -> ?b{1,3; ->}) WINDOW (?a, ?b, 1min)"
)


def test_try_prints_json_lines_where_there_is_no_terminal(project: Path) -> None:
    result = call("try", HIGH, "-e", project / "events.jsonl", "-p", project)
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "stream air: 3 events",
        "query (unnamed): 2 rows",
        "  ?e: 3 of air → 2 FILTER (?e.flow > 50)",
    ]
    assert call("try", HIGH, "-e", project / "events.jsonl", "-p", project, "--quiet").stderr == ""
    rows = [json.loads(text) for text in result.stdout.splitlines()]
    assert [{name: row[name] for name in ("sensor", "flow", "_time", "_events")} for row in rows] == [
        {
            "sensor": "urn:ex:s1",
            "flow": 60.5,
            "_time": "2026-01-01T00:00:02Z",
            "_events": {"e": ["urn:kaicep:event:air/s1/1767225602000000"]},
        },
        {
            "sensor": "urn:ex:s2",
            "flow": 70.0,
            "_time": "2026-01-01T00:00:03Z",
            "_events": {"e": ["urn:kaicep:event:air/s2/1767225603000000"]},
        },
    ]


def test_try_says_which_of_several_queries_it_prints(project: Path) -> None:
    several = f"CREATE QUERY all AS SELECT ?e.flow; CREATE QUERY high AS {HIGH}"
    arguments = ("-e", project / "events.jsonl", "-p", project)
    result = call("try", several, *arguments)
    assert result.stdout == call("try", several, *arguments, "--quiet").stdout != ""
    assert [json.loads(row)["flow"] for row in result.stdout.splitlines()] == [60.5, 70.0]
    assert result.stderr.splitlines()[0] == "these are the rows of the last of 2 queries, high"
    assert [told for told in result.stderr.splitlines() if told.startswith("query")] == [
        "query all: 3 rows",
        "query high: 2 rows",
    ]
    assert "the rows of the last of 2 queries\n" in call("try", f"{HIGH};{HIGH}", *arguments).stderr


def test_try_prints_csv_and_tables(project: Path) -> None:
    (project / "q.chi").write_text("SELECT ?e.ex:sensor AS s, ?e.flow AS flow FILTER (?e.flow > 60)")
    arguments = ("-e", project / "events.jsonl", "-p", project, "--format")
    csv_lines = call("try", project / "q.chi", *arguments, "csv").stdout.splitlines()
    assert csv_lines[0] == "s,flow,_time,_events,_id"
    assert csv_lines[1].startswith("urn:ex:s1,60.5,2026-01-01T00:00:02Z,")
    table = call("try", project / "q.chi", *arguments, "table").stdout
    assert "│ ex:s1 │ 60.5 │ 2026-01-01T00:00:02Z │" in table
    assert "_id" not in table


def test_try_without_rows_still_names_the_columns(project: Path) -> None:
    result = call("try", HIGH.replace("50", "500"), "-e", project / "events.jsonl", "-p", project, "-f", "csv")
    assert result.stdout == "sensor,flow,_time,_events,_id\n"


def test_try_reads_a_query_from_the_standard_input_and_events_by_stream(project: Path) -> None:
    events = f"air={project / 'events.jsonl'}"
    result = call("try", "-", "-e", events, "-p", project, "-f", "csv", stdin=HIGH)
    assert len(result.stdout.splitlines()) == 3


def test_unknown_names_are_warnings_of_check_and_try(project: Path) -> None:
    """Knowledge may come later, so nothing fails."""
    settings = project / "kaicep.toml"
    settings.write_text('[knowledge]\nmodules = ["rooms.ttl"]\n' + PROJECT.replace("ex:Reading", "ex:Readings"))
    (project / "rooms.ttl").write_text("<urn:ex:Reading> a <http://www.w3.org/2002/07/owl#Class> .\n" + PROPERTIES)
    query = project / "queries" / "high.chi"
    query.write_text("SELECT ?e.flow PATH { ?e a ex:Redaing }")
    warnings = (
        f"warning: {settings}: streams.air.event_type: the knowledge base does not know <urn:ex:Readings>: "
        "did you mean 'urn:ex:Reading'?\n"
        f"warning: {query}:1:28: unknown class ex:Redaing\n"
        "  1 | SELECT ?e.flow PATH { ?e a ex:Redaing }\n"
        "    |                            ^^^^^^^^^^ did you mean 'ex:Reading'?\n"
    )
    for arguments in (("check", project), ("try", query, "-e", project / "events.jsonl", "-p", project)):
        result = call(*arguments)
        assert result.exit_code == 0
        assert result.stderr.startswith(warnings)


def test_explain_names_the_query_s_parts(project: Path) -> None:
    result = call("explain", HIGH, "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "air" in result.stdout


def test_why_tells_a_tree_of_reasons(project: Path) -> None:
    result = call("why", HIGH, "--event", EVENT, "-p", project)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "urn:kaicep:event:air/s1/1767225601000000  at=2026-01-01T00:00:01Z, sensor=s1, flow=40.0",
        "└── ✗ no candidate of ?e in query",
        "    └── ✗ FILTER (?e.flow > 50): ?e.flow is 40, 10 below",
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_why_takes_an_event_from_a_file_and_gives_json(project: Path, encoding: str) -> None:
    (project / "event.json").write_text(EVENT, encoding=encoding)
    result = call("why", project / "queries" / "high.chi", "-e", project / "event.json", "-p", project, "-f", "json")
    told = json.loads(result.stdout)
    assert told["holds"] is False
    assert told["candidacies"][0]["clauses"][0]["note"] == "?e.flow is 40, 10 below"


def test_why_refuses_what_is_no_event(project: Path) -> None:
    result = call("why", HIGH, "-e", "{sensor: 1}", "-p", project)
    assert result.exit_code == 1
    assert result.stderr == (
        "the event is no JSON object: Expecting property name enclosed in double quotes at character 2: "
        'write {"attribute": value, …}\n'
    )
    result = call("why", HIGH, "-e", "urn:kaicep:event:air/s1/5", "-p", project)
    assert result.exit_code == 1
    assert result.stderr == (
        "the archive has no event <urn:kaicep:event:air/s1/5>: of stream air it has 0; "
        "copy the id from _events of a row\n"
    )


def test_explain_draws_the_automaton_as_mermaid(project: Path) -> None:
    result = call("explain", "--nfa", RISE, "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("stateDiagram-v2\n    s0 : 0 awaits ?a\n")
    assert "    s1 --> s2 : take -> ?b if WINDOW (?a, ?b, 60s)#59; ?b.flow > PREV(?b.flow)\n" in result.stdout


def test_explain_draws_the_automata_of_a_document_as_dot(project: Path) -> None:
    result = call("explain", f"CREATE QUERY one AS {RISE}; {RISE}", "--nfa", "--format", "dot", "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("digraph automaton {") == 1
    assert "q1begin -> q1s0;" in result.stdout
    assert "q2begin -> q2s0;" in result.stdout


@pytest.mark.parametrize(
    ("form", "begins"), [("mermaid", "flowchart LR\n"), ("dot", "digraph plan {\n"), ("svg", "<?xml ")]
)
def test_explain_draws_how_a_query_is_answered(project: Path, form: str, begins: str) -> None:
    result = call("explain", HIGH, "-f", form, "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(begins)
    assert "?e from air" in result.stdout


@pytest.mark.parametrize(
    ("form", "begins"), [("mermaid", "flowchart LR\n"), ("dot", "digraph reasons {\n"), ("svg", "<?xml ")]
)
def test_why_draws_reasons(project: Path, form: str, begins: str) -> None:
    result = call("why", HIGH, "--event", EVENT, "-p", project, "-f", form)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(begins)
    assert "10 below" in result.stdout


def test_automata_have_no_words(project: Path) -> None:
    result = call("explain", RISE, "--nfa", "-f", "text", "-p", project)
    assert (result.exit_code, result.stderr) == (1, "automata are pictures: take --format mermaid, dot or svg\n")


def test_explain_tells_that_a_query_has_no_automaton(project: Path) -> None:
    result = call("explain", "--nfa", "SELECT ?e.flow FROM (?e, air)", "-p", project)
    assert result.exit_code == 1
    assert result.stderr == "the query has no automaton: only a query with SEQ has one\n"


def test_try_explain_and_why_see_the_named_queries_of_the_project(project: Path) -> None:
    (project / "queries" / "high.chi").write_text(f"CREATE QUERY high AS {HIGH}")
    text = "SELECT ?h.flow AS flow FROM (?h, high) FILTER (?h.flow > 60.5)"
    result = call("try", text, "-e", project / "events.jsonl", "-p", project)
    assert [json.loads(row)["flow"] for row in result.stdout.splitlines()] == [70.0]
    assert "?h from high" in call("explain", text, "-p", project).stdout
    assert "query high" not in call("explain", text, "-p", project).stdout
    assert call("why", text, "-e", EVENT, "-s", "air", "-p", project).exit_code == 2
    refused = call("why", text, "--event", EVENT, "--stream", "air", "-p", project)
    assert refused.stderr == "no query of the document reads stream 'air': it reads high; choose with --stream\n"


def test_trying_a_file_of_the_project_does_not_meet_itself(project: Path) -> None:
    path = project / "queries" / "high.chi"
    path.write_text(f"CREATE QUERY high AS {HIGH}; SELECT ?h.flow AS flow FROM (?h, high)")
    result = call("try", path, "-e", project / "events.jsonl", "-p", project)
    assert [json.loads(row)["flow"] for row in result.stdout.splitlines()] == [60.5, 70.0]


def test_explain_draws_contexts(project: Path) -> None:
    text = """CREATE CONTEXTS mood (calm DEFAULT, busy);
    CREATE QUERY rise AS INITIATE CONTEXT busy FILTER (?e.flow > 50);
    CREATE QUERY rates AS SELECT ?e.flow IN CONTEXT busy"""
    drawn = call("explain", text, "--contexts", "-p", project)
    assert drawn.stdout.splitlines()[:4] == [
        "flowchart LR",
        '    c0["mood.calm (default)"]:::ground',
        '    c1["mood.busy<br/>rates"]:::plain',
        '    c0 -->|"INITIATE by rise"| c1',
    ]
    refused = call("explain", text, "--contexts", "-f", "text", "-p", project)
    assert "contexts are pictures" in refused.stderr


def test_explain_draws_what_is_asked_of_events(project: Path) -> None:
    text = """CREATE QUERY high AS SELECT ?e.flow FILTER (?e.flow > 50);
    CREATE QUERY higher AS SELECT ?e.flow FILTER (?e.flow > 50) FILTER (?e.flow < 70)"""
    drawn = call("explain", text, "--filters", "-p", project)
    assert drawn.stdout.splitlines()[2] == '    f1["FILTER (?e.flow #gt; 50)<br/>once for 2 variables"]:::holds'
    assert "filters are pictures" in call("explain", text, "--filters", "-f", "text", "-p", project).stderr
