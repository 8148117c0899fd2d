"""`kaicep try`, as it is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.pipeline.sources import recorded_batches
from support.command_line import HIGH, call, line


def test_rows_are_printed_in_every_form_whatever_the_batches(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "events.jsonl"
    path.write_text("".join(line(second, 40 + second) for second in range(60)))
    arguments = ("try", HIGH, "-e", path, "-p", project, "--format")
    whole = {form: call(*arguments, form).stdout for form in ("json", "csv", "table")}
    assert len(whole["json"].splitlines()) == 49
    assert json.loads(whole["json"].splitlines()[-1])["flow"] == 99.0
    monkeypatch.setattr(recorded_batches, "_BYTES", 256)
    assert {form: call(*arguments, form).stdout for form in whole} == whole


def test_a_wrong_query_is_refused_before_the_events_are_read(project: Path) -> None:
    result = call("try", "SELECT ?e.nope", "-e", project / "none.jsonl", "-p", project)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "unknown attribute 'nope'" in result.stderr
