"""Commands that look at queries: `explain --nfa` draws the automata of patterns."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.cli import app
from typer.testing import CliRunner, Result

PROJECT = """\
[streams.air]
event_type = "<urn:ex:Reading>"
time = { attribute = "at" }
attributes.flow = { datatype = "xsd:double" }
"""
RISE = (
    "SELECT ?a.flow AS flow FROM (?a, air), (?b, air) FILTER (?a.flow > 50) JOIN (?b.flow > PREV(?b.flow)) "
    "SEQ (?a -> ?b{1,3; ->}) WINDOW (?a, ?b, 1min)"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    return tmp_path


def call(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "200", "TERM": "dumb"}).invoke(app, [str(a) for a in arguments])


def test_explain_draws_the_automaton_as_mermaid(project: Path) -> None:
    result = call("explain", "--nfa", RISE, "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("stateDiagram-v2\n    s0 : 0 awaits ?a\n")
    assert "    s1 --> s2 : take -> ?b if WINDOW (?a, ?b, 60s)#59; ?b.flow > PREV(?b.flow)\n" in result.stdout


def test_explain_draws_the_automata_of_a_document_as_dot(project: Path) -> None:
    result = call("explain", f"CREATE QUERY one AS {RISE}; {RISE}", "--nfa", "--format", "dot", "-p", project)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("digraph automaton {") == 2


def test_explain_tells_that_a_query_has_no_automaton(project: Path) -> None:
    result = call("explain", "--nfa", "SELECT ?e.flow FROM (?e, air)", "-p", project)
    assert result.exit_code == 1
    assert result.stderr == "the query has no automaton: only a query with SEQ has one\n"
