"""What the next engine answers: queries keep their labels, and none is left without the contexts that it is in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kaicep import PipelineError, Project
from kaicep.pipeline.control import (
    SubmittedDocument,
    SubmittedQueries,
    check_withdrawal,
    refused_at_start,
    registered_at_start,
    registrations_at_start,
)

STREAM = {"event_type": "<urn:Report>", "time": {"attribute": "at"}, "attributes": {"flow": {"datatype": "xsd:double"}}}
PROJECT = Project.parse({"streams": {"air": STREAM}})
DECLARED = "CREATE CONTEXTS road (clear DEFAULT, jam)"
JAM = "INITIATE CONTEXT jam FROM (?e, air) FILTER (?e.flow > {})"
IN_JAM = "CREATE QUERY jammed AS SELECT ?e.flow FROM (?e, air) IN CONTEXT jam"


def submitted(folder: Path, *texts: str) -> SubmittedQueries:
    found = SubmittedQueries(folder)
    for text in texts:
        known = registered_at_start(PROJECT, found.documents())
        taken = [registration.label for registration in known]
        registered = PROJECT.registrations(text, "query", [r.query for r in known], taken=taken)
        found.add(SubmittedDocument("query", text, None, tuple(r.label for r in registered)))
    return found


def labels(of: SubmittedQueries) -> list[str]:
    return [registration.label for registration in registered_at_start(PROJECT, of.documents())]


def test_a_query_is_called_what_it_was_called_whoever_was_withdrawn_before_it(tmp_path: Path) -> None:
    """Its number is that of its submission; it was not found any more, and answered by nobody."""
    documents = submitted(tmp_path, f"{DECLARED}; {JAM.format(3)}", f"{DECLARED}; {JAM.format(5)}")
    assert labels(documents) == ["road.jam.initiate", "road.jam.initiate-2"]
    documents.withdraw("road.jam.initiate")
    assert labels(documents) == ["road.jam.initiate-2"]


def test_the_last_query_of_a_document_stays_while_others_need_what_it_declares(tmp_path: Path) -> None:
    documents = submitted(tmp_path, f"{DECLARED}; {JAM.format(3)}; {JAM.format(5)}", IN_JAM)
    check_withdrawal(PROJECT, documents.documents(), "road.jam.initiate")
    documents.withdraw("road.jam.initiate")
    with pytest.raises(PipelineError) as refused:
        check_withdrawal(PROJECT, documents.documents(), "road.jam.initiate-2")
    assert refused.value.message.startswith("without 'road.jam.initiate-2' jammed cannot be answered: ")
    assert refused.value.hint == "withdraw jammed first"
    check_withdrawal(PROJECT, documents.documents(), "jammed")
    documents.withdraw("jammed")
    check_withdrawal(PROJECT, documents.documents(), "road.jam.initiate-2")


def test_who_declares_the_set_again_needs_nobody(tmp_path: Path) -> None:
    documents = submitted(tmp_path, f"{DECLARED}; {JAM.format(3)}", f"{DECLARED}; {IN_JAM}")
    check_withdrawal(PROJECT, documents.documents(), "road.jam.initiate")


def test_what_is_refused_anyway_is_in_nobody_s_way(tmp_path: Path) -> None:
    documents = submitted(tmp_path, f"{DECLARED}; {JAM.format(3)}", IN_JAM)
    known = [
        replace(one, text="SELECT nothing") if one.queries == ("jammed",) else one for one in documents.documents()
    ]
    check_withdrawal(PROJECT, known, "road.jam.initiate")
    assert [r.label for r in registered_at_start(PROJECT, known)] == ["road.jam.initiate"]


def test_a_label_that_another_query_has_by_now_is_refused_as_the_engine_refuses_it(tmp_path: Path) -> None:
    documents = submitted(tmp_path, f"{DECLARED}; {IN_JAM}")
    (tmp_path / "jammed.chi").write_text("SELECT ?e.flow FROM (?e, air)")
    project = Project.parse({"streams": {"air": STREAM}, "queries": {"files": ["*.chi"]}}, root=tmp_path)
    assert [r.label for r in registered_at_start(project, documents.documents())] == ["jammed"]
    (reason,) = refused_at_start(project, documents.documents()).values()
    assert reason.message == "a query named 'jammed' is registered already"


def test_files_are_read_once_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of 200 files is listed in a second, and not in as many reads of all files."""
    for number in range(20):
        text = f"CREATE QUERY q{number} AS SELECT ?e.flow FROM (?e, air)"
        (tmp_path / f"{number:02}.chi").write_text(text)
    (tmp_path / "jam.chi").write_text(f"{DECLARED}; {JAM.format(1)}; {IN_JAM}")
    project = Project.parse({"streams": {"air": STREAM}, "queries": {"files": ["*.chi"]}}, root=tmp_path)
    read: list[Path] = []
    real = Path.read_text

    def noted(path: Path, *given: object, **named: object) -> str:
        read.extend([path] if path.suffix == ".chi" and path.is_relative_to(tmp_path) else [])
        return real(path, *given, **named)  # type: ignore[arg-type]  # as it was asked

    monkeypatch.setattr(Path, "read_text", noted)
    found, refused = registrations_at_start(project, [])
    assert ([one.label for one in found][-2:], len(found), refused) == (["road.jam.initiate", "jammed"], 22, {})
    assert len(read) == 21 + 21  # once all, and once more for the one that speaks of contexts
