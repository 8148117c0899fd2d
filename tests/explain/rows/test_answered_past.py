"""Rows that an engine has reported, explained from its logs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import Engine
from kaicep.archive import open_read_view
from kaicep.errors import PipelineError
from kaicep.explain import explain_row, row_dict, row_lines
from kaicep.explain.rows import OpenerKind
from support.asked_engine import BASE, TEXT, AskedEngine, batches
from support.sampling import some_of


def test_a_row_says_its_window_and_who_opened_it_and_that_row_its_own(tmp_path: Path) -> None:
    """Nothing is known before the first batch; then the row that opened the window is explained in turn."""
    engine = AskedEngine(tmp_path, TEXT)
    with pytest.raises(PipelineError, match="no engine has answered"):
        explain_row(engine.project, "0" * 32)
    for batch in batches():
        engine.deliver(**batch)
    engine.stop()
    with open_read_view(engine.project.settings, store=False) as archive:
        rows = archive.matches.log.read("moody", None, None).to_pylist()
    told = explain_row(engine.project, rows[0]["_id"])
    (window,) = told.windows
    assert (window.set, window.context, window.opener.kind) == ("mood", "busy", OpenerKind.ROW)
    opening = window.opener.row
    assert opening is not None
    assert opening.time == window.since
    assert BASE - timedelta(seconds=1) < opening.time < told.time
    assert f"    opened by row {opening.id} of mood.busy.initiate at" in "\n".join(row_lines(told))
    assert row_dict(told)["contexts"][0]["opener"]["row"]["row"] == opening.id

    change = explain_row(engine.project, opening.id)
    assert change.change == "INITIATE CONTEXT busy of mood"
    assert change.effect is not None
    assert change.effect.startswith("opened busy")
    assert row_dict(change)["contexts"] == []


def test_an_unknown_row_is_refused(tmp_path: Path) -> None:
    engine = AskedEngine(tmp_path, TEXT)
    engine.deliver(**next(batches()))
    engine.stop()
    with pytest.raises(PipelineError, match="no row has the id"):
        explain_row(engine.project, "0" * 32)


@pytest.mark.parametrize(
    "text",
    some_of(
        [
            "SELECT ?e.id FROM (?e, S), (?f, S) IN CONTEXT busy SEQ (?e, ?f) WINDOW (?e, ?f, 1h)",
            "SELECT COUNT(?e) AS n FROM (?e, S) IN CONTEXT busy WINDOW (?e, CHECK (COUNT(?e) <= 3))",
            (
                "CREATE QUERY few AS SELECT COUNT(?e) AS n FROM (?e, S) IN CONTEXT busy "
                "WINDOW (?e, CHECK (COUNT(?e) <= 3))"
            ),
            "SELECT COUNT(?e) AS n FROM (?e, S) WINDOW (?e, CHECK (COUNT(?e) <= 3), SHARED) GROUP BY ?e.k",
        ],
        2,
    ),
)
def test_so_are_rows_that_nobody_keeps_and_those_of_windows_by_condition(tmp_path: Path, text: str) -> None:
    """Of queries without a name, which are answered again; by the project and by the engine alike."""
    engine = AskedEngine(tmp_path, TEXT + ";" + text)
    streams: dict[str, list[Mapping[str, object]]] = {"S": [], "P": []}
    for batch in batches():
        engine.deliver(**batch)
        for name, events in batch.items():
            streams[name] += events
    known = min(moment for moment in engine.flow.dataflow.watermarks.values() if moment is not None)
    engine.stop()
    every = engine.project.evaluate(TEXT + ";" + text, streams)
    expected = [row for row in every if row["_time"] < known]
    assert expected
    for row in expected[:2]:
        told = engine.project.why_row(row["_id"])
        assert (told.time, told.events) == (row["_time"], {name: tuple(ids) for name, ids in row["_events"].items()})
        assert [window.context for window in told.windows] == row.get("_context", [])
        assert Engine(engine.project).why_row(row["_id"]) == told
