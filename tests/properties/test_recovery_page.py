"""docs/recovery.md: its commands exist with their options, and what it tries holds."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import kaicep
import pytest
from kaicep import PlanError, Project
from kaicep.cli import app
from typer.main import get_command

PAGE = Path(kaicep.__file__).parent / "docs" / "recovery.md"
STREAM = {
    "event_type": "<urn:Report>",
    "time": {"attribute": "at"},
    "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
}
EVENTS = [{"sensor": "s", "at": f"2026-01-01T00:00:{s:02d}Z", "flow": float(s)} for s in range(20)]
PAIRS = "SELECT ?b.flow AS flow FROM (?a, air), (?b, air) WITHIN (, ) SEQ (?a, ?b) WINDOW (?a, ?b, 2s)"


def test_every_command_is_understood() -> None:
    commands = re.findall(r"^kaicep (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 5
    for line in commands:
        name, *arguments = shlex.split(line)
        get_command(app).commands[name].make_context(name, arguments)  # type: ignore[attr-defined]  # a group


def test_an_outage_changes_no_row() -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    begin, end = moment + timedelta(seconds=5), moment + timedelta(seconds=11)
    live = project.evaluate(PAIRS, {"air": EVENTS})
    for snapshots in (True, False):
        assert live == project.evaluate(
            PAIRS,
            {"air": EVENTS},
            outage=(begin, end),
            snapshots=snapshots,
            overlap=timedelta(seconds=2),
            in_flight=timedelta(seconds=1),
            registered_at=moment + timedelta(seconds=3),
        )
    assert live


def test_an_outage_that_ends_before_it_begins_is_refused() -> None:
    project = Project.parse({"streams": {"air": STREAM}})
    later, sooner = datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(PlanError) as refused:
        project.evaluate(PAIRS, {"air": EVENTS}, outage=(later, sooner))
    assert str(refused.value) == "the outage ends before it begins: give its beginning first"
