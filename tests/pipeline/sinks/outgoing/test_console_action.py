"""Rows on the standard output, for whoever is there."""

from __future__ import annotations

import json
import sys

import pytest
from kaicep.pipeline.actions import DeliveryError
from kaicep.pipeline.sinks.outgoing.console_action import ConsoleAction
from support.row_calls import row_call


def test_programs_get_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    sink = ConsoleAction({})
    sink.send([row_call(1), row_call(2, room="B2")])
    sink.close()
    assert [json.loads(line)["_id"] for line in capsys.readouterr().out.splitlines()] == ["a1", "a2"]


def test_people_get_a_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    ConsoleAction({"e": "urn:e#"}).send([row_call(1, room="urn:e#B1")])
    shown = capsys.readouterr().out
    assert "room" in shown
    assert "e:B1" in shown
    assert "{" not in shown


def test_an_output_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(sys.stdout, "writelines", gone)
    with pytest.raises(DeliveryError, match="the standard output takes nothing: Broken pipe"):
        ConsoleAction({}).send([row_call(1)])
