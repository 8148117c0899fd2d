"""The command line: rows on the standard output, all else on the standard error, exit codes that mean something."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kaicep.cli import app
from typer.testing import CliRunner, Result

PROJECT = """\
[prefixes]
ex = "urn:ex:"

[queries]
files = ["queries/*.chi"]

[engine]
trigger = "100ms"

[streams.air]
event_type = "ex:Reading"
time = { attribute = "at", property = "ex:at" }
identity = ["sensor", "at"]
source = { format = "json", path = "incoming/" }

[streams.air.attributes]
sensor = { property = "ex:sensor", individual = "ex:{}" }
flow = { property = "ex:flow", datatype = "xsd:double" }
"""
PROPERTIES = "".join(
    f"<urn:ex:{p}> a <http://www.w3.org/2002/07/owl#DatatypeProperty> . " for p in ("at", "sensor", "flow")
)
HIGH = "SELECT ?e.ex:sensor AS sensor, ?e.flow AS flow FILTER (?e.flow > 50)"


def line(second: int, flow: object, sensor: str = "s1") -> str:
    return json.dumps({"sensor": sensor, "at": f"2026-01-01T00:00:{second:02d}Z", "flow": flow}) + "\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One stream of readings, one query, recorded events in `events.jsonl`."""
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    (tmp_path / "queries").mkdir()
    (tmp_path / "queries" / "high.chi").write_text(HIGH)
    (tmp_path / "events.jsonl").write_text(line(1, 40.0) + line(2, 60.5) + line(3, 70, "s2"))
    return tmp_path


def call(*arguments: str | Path, stdin: str | None = None) -> Result:
    return CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [str(a) for a in arguments], input=stdin)


def test_try_tells_how_many_events_are_late_or_came_again(project: Path) -> None:
    path = project / "events.jsonl"
    path.write_text(line(30, 60) + line(30, 60) + line(1, 60) + line(2, 70))
    result = call("try", HIGH, "-e", path, "-p", project)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == (
        "late events of stream air, left out: 2 (see its lateness)\n"
        "events of stream air that came again, left out: 1 (see its identity)\n"
    )


@pytest.mark.parametrize(
    "command", ["demo", "run", "submit", "withdraw", "queries", "try", "check", "explain", "why", "sparql"]
)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    result = call(command, "--help")
    assert result.exit_code == 0
    assert f"kaicep {command}" in result.stdout
    assert "Example" in result.stdout


def test_help_does_not_load_what_it_does_not_need() -> None:
    program = (
        "import sys; from kaicep.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pyspark', 'pyarrow', 'polars', 'owlready2', 'pyoxigraph', 'rdflib'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_try_prints_json_lines_where_there_is_no_terminal(project: Path) -> None:
    result = call("try", HIGH, "-e", project / "events.jsonl", "-p", project)
    assert result.exit_code == 0
    assert result.stderr == ""
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
    assert result.stderr == "these are the rows of the last of 2 queries, high\n"
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
    assert result.stdout == "sensor,flow,_time,_id\n"


def test_try_reads_a_query_from_the_standard_input_and_events_by_stream(project: Path) -> None:
    events = f"air={project / 'events.jsonl'}"
    result = call("try", "-", "-e", events, "-p", project, "-f", "csv", stdin=HIGH)
    assert len(result.stdout.splitlines()) == 3


def test_try_tells_which_records_are_no_events(project: Path) -> None:
    path = project / "events.jsonl"
    path.write_text("{\n" + line(1, "abc") + line(2, 60) + "5\n" * 3)
    result = call("try", HIGH, "-e", path, "-p", project)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == (
        f"{path}:1: no JSON: Expecting property name enclosed in double quotes at character 2\n"
        f"{path}:4: a number instead of an object\n"
        f"{path}:5: a number instead of an object\n"
        "… and 2 more records of stream air that are no events\n"
    )
    assert call("try", HIGH, "-e", path, "-p", project, "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("try", "SELECT ?e.flw", "-e", "{events}", "-p", "{project}"),
            (
                "query:1:11: unknown attribute 'flw' of stream 'air'\n"
                "  1 | SELECT ?e.flw\n"
                "    |           ^^^ did you mean 'flow' (= ex:flow)?\n"
            ),
        ),
        (
            ("try", "{project}/none.chi", "-e", "{events}", "-p", "{project}"),
            "cannot read {project}/none.chi: No such file or directory: name a file with χ-CEP queries or SPARQL\n",
        ),
        (
            ("try", HIGH, "-e", "{project}/none.json", "-p", "{project}"),
            "cannot read {project}/none.json: No such file or directory: name a JSON, CSV or Parquet file\n",
        ),
        (
            ("try", HIGH, "-e", "ai={events}", "-p", "{project}"),
            "the project has no stream 'ai': did you mean 'air'?\n",
        ),
        (
            ("try", HIGH, "-e", "{events}", "-p", "{project}", "--stream", "water"),
            "the project has no stream 'water': its streams: air\n",
        ),
        (
            ("try", HIGH, "-e", "{events}", "-p", "{project}/none"),
            (
                "{project}/none: cannot read the project file: No such file or directory: "
                "name a kaicep.toml or the folder that holds one\n"
            ),
        ),
        (
            ("run", "{project}", "-Q", "{project}/none.chi"),
            "cannot read {project}/none.chi: No such file or directory: name a file with χ-CEP queries or SPARQL\n",
        ),
        (
            ("demo", "--folder", "{project}"),
            "{project} holds an earlier demonstration: remove it, or name another folder\n",
        ),
        (
            ("sparql", "ASK {{ ?s ?p ?o }}", "-p", "{project}"),
            "{project}/var/archive: there is no store: run the project first, with store = true under [archive]\n",
        ),
    ],
)
def test_what_kaicep_explains_is_told_without_a_trace(project: Path, arguments: tuple[str, ...], message: str) -> None:
    places = {"project": str(project), "events": str(project / "events.jsonl")}
    if "demo" in arguments:
        (project / "var").mkdir()
    result = call(*(argument.format(**places) if "{" in argument else argument for argument in arguments))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == message.format(**places)


def test_what_the_system_refuses_is_told_without_a_trace(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/data/state")

    monkeypatch.setattr("kaicep.commands.project_check.check_project", full)
    result = call("check", project)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "/data/state: No space left on device: see that it is there, and may be read and written\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fly",), "No such command 'fly'."),
        (("run",), "Missing argument 'PROJECT'."),
        (("try", HIGH, "-p", "x"), "Missing option '--events'"),
        (("run", "x", "--format", "parquet"), "parquet needs --out FOLDER"),
        (("run", "x", "--format", "console", "--out", "y"), "console writes no file; leave --out away"),
        (("run", "x", "--format", "xml"), "'xml' is not one of 'jsonl', 'parquet', 'console'"),
    ],
)
def test_a_command_that_is_not_understood_exits_with_2(arguments: tuple[str, ...], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_check_tells_what_there_is(project: Path) -> None:
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
        assert (result.exit_code, result.stderr) == (0, warnings)


def test_check_tells_the_faults_of_all_queries(project: Path) -> None:
    (project / "queries" / "a.chi").write_text("SELECT ?e.flw")
    (project / "queries" / "b.chi").write_text("SELECT")
    result = call("check", project)
    assert result.exit_code == 1
    assert "query high:" in result.stdout
    assert f"{project / 'queries' / 'a.chi'}:1:11: unknown attribute 'flw' of stream 'air'" in result.stderr
    assert f"{project / 'queries' / 'b.chi'}:1:7: " in result.stderr


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
    (project / "queries" / "high.chi").unlink()
    result = call("check", project)
    assert result.exit_code == 1
    assert result.stderr == (
        f"{project / 'kaicep.toml'}: queries.files: no file matches 'queries/*.chi': patterns start from {project}\n"
    )


def test_explain_names_the_query_s_parts(project: Path) -> None:
    result = call("explain", HIGH, "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "air" in result.stdout


def kaicep(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "kaicep", *map(str, arguments)]


def drop(project: Path, name: str, content: str) -> None:
    folder = project / "incoming"
    folder.mkdir(exist_ok=True)
    (folder / f".{name}").write_text(content)
    (folder / f".{name}").replace(folder / name)


@pytest.mark.spark
def test_run_reports_what_is_there_stops_cleanly_and_goes_on(project: Path) -> None:
    """Each match is reported once, whoever stops; bad records go aside; the archive answers SPARQL.

    The last event of each file only moves the watermark past the match before it.
    """
    drop(project, "1.jsonl", line(1, 40.0) + line(2, 60.5) + line(3, 10.0) + "{\n")
    once = subprocess.run(kaicep("run", project, "--once"), capture_output=True, text=True, check=False)
    assert once.returncode == 0, once.stderr
    assert [json.loads(text)["flow"] for text in once.stdout.splitlines()] == [60.5]
    assert "1 malformed (in the dead letters)" in once.stderr
    assert "Traceback" not in once.stderr

    drop(project, "2.jsonl", line(4, 70.0) + line(5, 10.0))
    assert _run_until_stopped(project, signal.SIGINT, line(6, 80.0) + line(7, 10.0)) == (130, [70.0, 80.0])
    drop(project, "4.jsonl", line(8, 90.0) + line(9, 10.0))
    assert _run_until_stopped(project, signal.SIGTERM, line(10, 95.0) + line(11, 10.0)) == (143, [90.0, 95.0])

    query = "SELECT (COUNT(?e) AS ?n) { ?e a ex:Reading ; ex:flow ?flow }"
    asked = subprocess.run(kaicep("sparql", query, "-p", project), capture_output=True, text=True, check=False)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, '{"n": 11}\n', "")


def _run_until_stopped(project: Path, asks_to_stop: signal.Signals, more: str) -> tuple[int, list[float]]:
    """Run until the one match that is there and the one of `more` are reported, then stop; exit code and matches."""
    out = project / f"{asks_to_stop.name}.jsonl"
    with subprocess.Popen(kaicep("run", project, "--out", out, "--quiet"), stderr=subprocess.PIPE) as running:
        try:
            _wait_for(lambda: out.exists() and out.stat().st_size > 0)
            drop(project, f"{asks_to_stop.name}-more.jsonl", more)
            _wait_for(lambda: len(out.read_text().splitlines()) == 2)
            running.send_signal(asks_to_stop)
            _, errors = running.communicate(timeout=600)
        finally:
            running.kill()
    assert errors == b""
    return running.returncode, [json.loads(text)["flow"] for text in out.read_text().splitlines()]


def _wait_for(condition: object, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]  # a function without arguments
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.1)


@pytest.mark.spark
@pytest.mark.long
def test_the_demonstration_ends_by_itself_with_matches_answers_and_figures(tmp_path: Path) -> None:
    done = subprocess.run(kaicep("demo", "--folder", tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "staleAir: 253 matches" in done.stdout
    assert done.stdout.count("SPARQL over the archive") == 2
    assert "609,316 events · " in done.stdout
    assert "Traceback" not in done.stderr
    asked = subprocess.run(kaicep("check", tmp_path), capture_output=True, text=True, check=False)
    assert asked.returncode == 0


def test_run_refuses_a_wrong_query_before_anything_starts(project: Path) -> None:
    (project / "queries" / "wrong.chi").write_text("SELECT ?e.flw")
    result = call("run", project, "--once")
    assert result.exit_code == 1
    assert "wrong.chi:1:11: unknown attribute 'flw' of stream 'air'" in result.stderr
    assert "starting Spark" not in result.stderr
    assert not (project / "var").exists()


EVENT = '{"sensor": "s1", "at": "2026-01-01T00:00:01Z", "flow": 40}'


def test_why_tells_a_tree_of_reasons(project: Path) -> None:
    result = call("why", HIGH, "--event", EVENT, "-p", project)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "urn:kaicep:event:air/s1/1767225601000000  at=2026-01-01T00:00:01Z, sensor=s1, flow=40.0",
        "└── ✗ no candidate of ?e in query",
        "    └── ✗ FILTER (?e.flow > 50): ?e.flow is 40, 10 below",
    ]


def test_why_takes_an_event_from_a_file_and_gives_json(project: Path) -> None:
    (project / "event.json").write_text(EVENT)
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


def test_queries_are_submitted_listed_and_withdrawn(project: Path) -> None:
    """Without an engine they wait for one."""
    done = call("submit", HIGH.replace("50", "60"), "--name", "higher", "-p", project)
    assert (done.exit_code, done.stdout) == (0, "higher: registered, it is answered when an engine starts\n")
    listed = call("queries", "-p", project)
    assert json.loads(listed.stdout) == {
        "query": "higher", "state": "waits", "matches": None, "from": "submitted", "now": None,
    }  # fmt: skip
    assert call("withdraw", "higher", "-p", project).stdout == "higher: withdrawn\n"
    refused = call("submit", "SELECT ?e.flow JOIN (?e.flow > ?f.flow)", "--retention", "soon", "-p", project)
    assert refused.exit_code == 2
    assert "'soon'" in refused.stderr
