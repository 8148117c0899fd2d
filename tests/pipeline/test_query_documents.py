"""The documents that a project names."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import KaicepError
from kaicep.config import Settings
from kaicep.pipeline import query_files, read_document
from kaicep.pipeline.query_documents import context_sets
from support.roads import ROADS


def settings(root: Path, *patterns: str) -> Settings:
    for name in ("b.chi", "a.chi", "notes.txt"):
        (root / name).write_text(f"# {name}", encoding="utf-8")
    return Settings.parse({"queries": {"files": list(patterns)}}, root=root)


def test_files_and_patterns_name_documents(tmp_path: Path) -> None:
    named = query_files(settings(tmp_path, "notes.txt", "*.chi"))
    assert [path.name for path in named] == ["notes.txt", "a.chi", "b.chi"]
    assert query_files(settings(tmp_path)) == []


def test_a_pattern_that_matches_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(KaicepError, match=r"no file matches 'queries/\*\.chi'"):
        query_files(settings(tmp_path, "queries/*.chi"))


def test_a_document_is_its_text(tmp_path: Path) -> None:
    settings(tmp_path)
    assert read_document(tmp_path / "a.chi") == "# a.chi"
    (tmp_path / "a.chi").write_text("# a.chi", encoding="utf-8-sig")  # as editors of Windows do
    assert read_document(tmp_path / "a.chi") == "# a.chi"
    with pytest.raises(KaicepError, match="name a file with χ-CEP queries"):
        read_document(tmp_path / "none.chi")


def test_sets_of_contexts_that_files_declare(tmp_path: Path) -> None:
    """Whatever is wrong with their queries; a document's own sets go before them."""
    given = settings(tmp_path, "*.chi")
    (tmp_path / "a.chi").write_text("CREATE CONTEXTS road (clear DEFAULT, jam) BY seg; SELECT ?nothing.known")
    (tmp_path / "b.chi").write_text("CREATE CONTEXTS hours (closed DEFAULT, open DURING '08:00-18:00'); SELECT ?e.id")
    (tmp_path / "c.chi").write_text("CREATE CONTEXTS wrong (clear, jam)")
    assert [each.name for each in context_sets(given, ROADS)] == ["road", "hours"]
    assert [each.name for each in context_sets(given, ROADS, "CREATE CONTEXTS road (a DEFAULT)")] == ["hours"]
    assert context_sets(given, ROADS, "SELECT ?e.id FROM (?e, reports)") == ()
    assert context_sets(settings(tmp_path), ROADS) == ()
    assert context_sets(settings(tmp_path, "missing"), ROADS) == ()
