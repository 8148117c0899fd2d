"""The named queries that a document reads, directly or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project, QueryTypeError
from kaicep.api.clients import submit, withdraw
from kaicep.pipeline.named_queries import queries_read
from support.command_line import HIGH, write_project

OVER = "SELECT ?h.flow AS flow FROM (?h, {})"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """`high` over the stream, `higher` over `high`, and a file that is no χ-CEP."""
    write_project(tmp_path)
    queries = tmp_path / "queries"
    (queries / "a.chi").write_text(f"CREATE QUERY high AS {HIGH}; CREATE QUERY other AS SELECT ?e.flow")
    (queries / "b.chi").write_text(f"CREATE QUERY higher AS {OVER.format('high')} FILTER (?h.flow > 60.5)")
    (queries / "high.chi").write_text("SELECT SELECT")
    return tmp_path


def test_a_document_that_reads_streams_alone_needs_no_query(project: Path) -> None:
    assert queries_read(Project.load(project), HIGH) == ()


def test_what_is_read_indirectly_comes_first_and_nothing_else_comes(project: Path) -> None:
    found = queries_read(Project.load(project), OVER.format("higher"))
    assert [query.name for query in found] == ["high", "higher"]


def test_what_the_document_defines_goes_before_what_the_project_has(project: Path) -> None:
    text = f"CREATE QUERY high AS SELECT ?e.flow FROM (?e, air); {OVER.format('high')}"
    assert queries_read(Project.load(project), text) == ()


def test_a_file_of_the_project_does_not_read_itself(project: Path) -> None:
    path = project / "queries" / "b.chi"
    assert [q.name for q in queries_read(Project.load(project), path.read_text(), str(path))] == ["high"]


def test_submitted_queries_are_the_project_s_too(project: Path) -> None:
    (project / "queries" / "high.chi").unlink()
    loaded = Project.load(project)
    submit(loaded.settings, f"CREATE QUERY sent AS {OVER.format('higher')}", None, None)
    assert [q.name for q in queries_read(loaded, OVER.format("sent"))] == ["high", "higher", "sent"]


def test_a_wrong_query_that_is_read_tells_its_own_place(project: Path) -> None:
    path = project / "queries" / "b.chi"
    path.write_text("CREATE QUERY higher AS SELECT ?e.nope FROM (?e, air)")
    with pytest.raises(QueryTypeError, match=f"{path}:1:") as caught:
        queries_read(Project.load(project), OVER.format("higher"))
    assert "unknown attribute 'nope'" in str(caught.value)


def test_evaluate_answers_what_it_reads(project: Path) -> None:
    loaded = Project.load(project)
    events = [{"sensor": "s", "at": f"2026-01-01T00:00:0{i}Z", "flow": 60 + i} for i in range(3)]
    assert [row["flow"] for row in loaded.evaluate(OVER.format("higher"), {"air": events})] == [61.0, 62.0]
    with pytest.raises(QueryTypeError, match="unknown stream 'highest'"):
        loaded.evaluate(OVER.format("highest"), {"air": events})


CONTEXTS = """CREATE CONTEXTS air (calm DEFAULT, high, low);
INITIATE CONTEXT high FROM (?e, air) FILTER (?e.flow > 60.5);
CREATE QUERY other AS SELECT ?e.flow FROM (?e, air)"""
ENDS = "TERMINATE CONTEXT high FROM (?l, lower)"


@pytest.fixture
def contexts(project: Path) -> Project:
    """A set that one file declares, another changes by a query of a third, and a calendar that nothing changes."""
    queries = project / "queries"
    (queries / "c.chi").write_text(CONTEXTS.replace("other", "further"))
    (queries / "d.chi").write_text(ENDS)
    (queries / "bb.chi").write_text("CREATE QUERY lower AS SELECT ?e.flow FROM (?e, air) FILTER (?e.flow < 60)")
    (queries / "f.chi").write_text("CREATE CONTEXTS hours (closed DEFAULT, open DURING '08:00-18:00')")
    return Project.load(project)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?e.flow FROM (?e, air) IN CONTEXT high",
        "SELECT ?e.flow FROM (?e, air) IN CONTEXT air.calm",
        "SELECT ?c.change FROM (?c, CONTEXTS(air))",
        "INITIATE CONTEXT low FROM (?e, air)",
    ],
)
def test_with_contexts_come_all_queries_that_change_them(contexts: Project, text: str) -> None:
    found = queries_read(contexts, text)
    assert [query.name or (query.change and query.change.kind) for query in found] == ["lower", "INITIATE", "TERMINATE"]
    assert len(contexts.compile(text, outputs=found)) == 1


def test_queries_that_are_answered_already_do_not_come_again(contexts: Project) -> None:
    text = "SELECT ?e.flow FROM (?e, air) IN CONTEXT high"
    found = queries_read(contexts, text)
    assert queries_read(contexts, text, outputs=found) == ()


def test_a_document_s_own_contexts_are_not_those_of_the_project(contexts: Project) -> None:
    assert queries_read(contexts, "CREATE CONTEXTS mine (a DEFAULT, high); SELECT ?e.flow IN CONTEXT high") == ()


def test_contexts_that_nothing_changes_need_no_query(contexts: Project) -> None:
    text = "SELECT ?e.flow FROM (?e, air) IN CONTEXT open"
    assert queries_read(contexts, text) == ()
    assert [each.name for each in contexts.compile(text)[0].context_sets] == ["hours"]


def test_a_query_of_a_document_that_was_withdrawn_comes_no_more(project: Path) -> None:
    """Of contexts it would change again what it was withdrawn for, and nobody could submit it anew."""
    (project / "queries" / "high.chi").unlink()
    loaded = Project.load(project)
    declared, ends = "CREATE CONTEXTS mood (calm DEFAULT, busy)", "TERMINATE CONTEXT busy FROM (?e, air)"
    begins = "CREATE QUERY begin AS INITIATE CONTEXT busy FROM (?e, air)"
    submit(loaded.settings, f"{declared}; {begins}; CREATE QUERY finish AS {ends}", None, None)
    withdraw(loaded.settings, "begin")
    assert [q.name for q in queries_read(loaded, "SELECT ?e.flow FROM (?e, air) IN CONTEXT busy")] == ["finish"]
    assert submit(loaded.settings, begins, None, None) == ["begin: registered, it is answered when an engine starts"]
