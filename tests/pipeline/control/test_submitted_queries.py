"""Submitted documents stay until the last of their queries is withdrawn."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import PipelineError
from kaicep.pipeline.control.submitted_queries import SubmittedDocument, SubmittedQueries, free_label


def test_documents_are_kept_in_order_and_go_with_their_last_query(tmp_path: Path) -> None:
    submitted = SubmittedQueries(tmp_path)
    assert submitted.documents() == ()
    submitted.add(SubmittedDocument("two", "SELECT …; SELECT …", timedelta(hours=1), ("two-1", "two-2")))
    submitted.add(SubmittedDocument("one", "SELECT ü", None, ("one",)))
    assert [(d.label, d.number, d.retention) for d in submitted.documents()] == [
        ("two", 1, timedelta(hours=1)),
        ("one", 2, None),
    ]
    submitted.withdraw("two-1")
    assert submitted.document_of("two-2").queries == ("two-2",)
    submitted.withdraw("two-2")
    assert [d.label for d in SubmittedQueries(tmp_path).documents()] == ["one"]


def test_what_was_not_submitted_is_named_with_what_was(tmp_path: Path) -> None:
    submitted = SubmittedQueries(tmp_path)
    with pytest.raises(PipelineError) as refused:
        submitted.withdraw("high")
    assert str(refused.value) == "no query 'high' was submitted: submitted: none"
    submitted.add(SubmittedDocument("high", "SELECT …", None, ("high",)))
    with pytest.raises(PipelineError, match="did you mean 'high'"):
        submitted.document_of("hihg")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "000001.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PipelineError) as refused:
        SubmittedQueries(tmp_path).documents()
    assert str(refused.value) == (
        f"{folder / '000001.json'}: a submitted query cannot be read: remove the file, and submit it again"
    )


@pytest.mark.parametrize(
    ("taken", "label"),
    [([], "query-1"), (["query-1"], "query-2"), (["query-1-2", "query-3"], "query-2"), (["query-10"], "query-1")],
)
def test_a_query_without_a_name_takes_the_first_free_number(taken: list[str], label: str) -> None:
    assert free_label(taken) == label
