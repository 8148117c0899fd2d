"""What commands read and print."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from kaicep.commands.options import RowFormat
from kaicep.commands.progress_bar import ProgressBar
from kaicep.commands.terminal import closing_on, load_project, log, print_rows, tell, text_of
from kaicep.config import Settings
from kaicep.errors import KaicepError
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import USUAL_LIMITS, close
from kaicep.settings import ReasonerName

SETTINGS = Settings.parse({"prefixes": {"ex": "urn:ex:"}})


def test_a_query_is_a_text_a_file_or_the_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "high.chi"
    path.write_text("SELECT ?e.x")
    assert text_of(str(path)) == ("SELECT ?e.x", str(path))
    assert text_of("SELECT ?e.y") == ("SELECT ?e.y", "query")
    monkeypatch.setattr("sys.stdin", io.StringIO("SELECT ?e.z"))
    assert text_of("-") == ("SELECT ?e.z", "stdin")


def test_what_looks_like_a_file_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(KaicepError, match="name a file with χ-CEP queries"):
        text_of(str(tmp_path / "none.chi"))


def test_rows_are_json_lines_where_nobody_reads_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([{"a": "urn:ex:x"}], ["a"], None, SETTINGS)
    print_rows([{"a": "urn:ex:x"}], ["a"], RowFormat.CSV, SETTINGS)
    assert capsys.readouterr().out == '{"a": "urn:ex:x"}\na\nurn:ex:x\n'
    print_rows([{"a": "urn:ex:x"}], ["a"], RowFormat.TABLE, SETTINGS)
    assert "ex:x" in capsys.readouterr().out


def test_messages_go_to_the_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    tell("late")
    log().print("behind")
    assert capsys.readouterr() == ("", "late\nbehind\n")


@pytest.mark.parametrize(("reasoner", "known"), [("rl", True), ("none", True), ("hermit", False)])
def test_who_waits_for_knowledge_is_told_how_much_is_closed_and_how_long_that_takes(
    reasoner: ReasonerName, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, float | None]] = []
    bar = ProgressBar(log(), "loading")
    monkeypatch.setattr(bar, "computing", lambda what, seconds: told.append((what, seconds)))
    modules = [Module.parse("m.ttl", b"<urn:a> a <urn:B> . <urn:b> a <urn:B> .")]
    monkeypatch.setattr("kaicep.ontology.reasoners.close", lambda asserted, _, *how: close(asserted, "none", *how))
    assert len(closing_on(bar)(modules, reasoner, {}, USUAL_LIMITS).store) == 2
    ((what, seconds),) = told
    assert what == f"closing 2 triples by {reasoner}"
    assert (seconds is not None and 0 < seconds < 1) is known


def test_a_project_is_loaded_as_such(project: Path) -> None:
    assert list(load_project(project).annotators) == ["air"]
