"""In which windows of contexts a row lies, and who opened them: as the oracle has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from kaicep import Project
from kaicep.explain.rows import (
    DerivingRows,
    LyingWindow,
    OpenerKind,
    RowExplainer,
    RowExplanation,
    known_rows,
    with_shown_keys,
)
from kaicep.expressions import micros
from kaicep.pipeline.flow import Batch
from kaicep.pipeline.simulation.evaluation import annotated_recordings, registrations_of
from oracle.contexts import Change, Window
from support.context_families import FAMILIES, ContextCase, case, contexts_oracle, contexts_project
from support.sampling import some_of
from support.tuples import Tuples


def explanations(project: Project, text: str, streams: Mapping[str, Tuples]) -> list[RowExplanation]:
    """What is said of each row of a document's last query."""
    _, annotated = annotated_recordings(project, streams)
    registrations = [with_shown_keys(one) for one in registrations_of(project.compile(text), {})]
    dataflow = project.dataflow(isolated=True)
    dataflow.queries.remembers = True
    for registration in registrations:
        dataflow.register(registration)
    answers = [a for batch in (Batch(annotated), Batch(ends=True)) for a in dataflow.process(batch).rows()]
    deriving = DerivingRows(registrations)
    deriving.take(answers)

    def event_of(stream: str, event: str) -> pa.Table | None:
        known = None if stream not in annotated else annotated[stream].events
        found = None if known is None else known.filter(pc.equal(known["_id"], event))
        return found.slice(0, 1) if found is not None and found.num_rows else None

    histories = {name: contexts.history for name, contexts in dataflow.queries.contexts.items()}
    explainer = RowExplainer(project, histories, deriving, event_of)
    last = registrations[-1]
    rows = [row for a in answers if a.label == last.label for row in known_rows(last.label, a.rows)]
    return [explainer.explain(last.query, row) for row in rows]


def told(window: LyingWindow) -> tuple[object, ...]:
    """A window as both sides name it."""
    since, until = (None if m is None else micros(m) for m in (window.since, window.until))
    return window.set, window.context, tuple(str(v) for v in window.key.values()), since, until


def expected(window: Window) -> tuple[object, ...]:
    """The same of the oracle's."""
    return window.set, window.context, tuple(str(v) for v in window.key), window.start, window.end


def check_opener(window: LyingWindow, changes: Sequence[Change], one: ContextCase) -> None:
    """Who opened a window is a change of the oracle's, at its beginning and in its partition."""
    opener = window.opener
    assert opener.kind is not OpenerKind.UNKNOWN or "CREATE RULE" in one.text, one
    if opener.kind is OpenerKind.ROW:
        assert opener.row is not None
        assert opener.row.time == window.since
        key = tuple(map(str, window.key.values()))
        found = [c for c in changes if (c.set, c.context, tuple(map(str, c.key))) == (window.set, window.context, key)]
        assert any(c.time == micros(opener.row.time) and c.kind != "TERMINATE" for c in found), one


@pytest.mark.parametrize("family", some_of(FAMILIES, 6))
def test_a_row_lies_in_the_windows_that_the_oracle_says(family: str) -> None:
    for seed in range(2):
        one = case(family, seed)
        project, oracle = contexts_project(one.lateness), contexts_oracle(one.lateness)
        document = oracle._document(project.compile(one.text), one.streams, None)
        histories = document.histories()
        answers = document.answers(histories, document.queries)
        changes = document.changes(answers)
        rows = explanations(project, one.text, one.streams)
        assert len(rows) == len(answers.rows[-1]), one
        for row, other in zip(rows, answers.rows[-1], strict=True):
            if row.notes:
                continue
            windows = answers.found[-1][other["_id"]].windows
            assert sorted(map(told, row.windows), key=repr) == sorted(map(expected, windows), key=repr), f"{one}{row}"
            for window in row.windows:
                check_opener(window, changes, one)
