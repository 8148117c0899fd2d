"""What commands read and print."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from kaicep.commands.options import RowFormat
from kaicep.commands.terminal import load_project, log, print_rows, tell, text_of
from kaicep.config import Settings
from kaicep.errors import KaicepError

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


def test_a_project_is_loaded_as_such(project: Path) -> None:
    assert list(load_project(project).annotators) == ["air"]
