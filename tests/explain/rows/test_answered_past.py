"""Rows that an engine has reported, explained from its logs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive import open_read_view
from kaicep.errors import PipelineError
from kaicep.explain import explain_row, row_dict, row_lines
from kaicep.explain.rows import OpenerKind
from support.asked_engine import BASE, TEXT, AskedEngine, batches


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
