"""The moment of an acknowledgement: now, or where streams are played back, theirs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kaicep.server.alarms import acknowledgement
from kaicep.server.alarms.acknowledgement import Acknowledgements
from kaicep.server.alarms.alarm_form import AlarmForm, SeenEvent
from kaicep.server.alarms.alarm_history import Alarm
from kaicep.server.events import EventInboxes
from kaicep.server.problem import ProblemError
from kaicep.server.queries import ProjectProcesses
from support.alarming import alarming_project

ALARM = Alarm("0", "alarm", "alarms", {}, raised="2026-01-01T09:00:00Z")
FORM = AlarmForm("alarm", (), "alarms", SeenEvent("desk", "at", {"says": "seen"}, ()))


@pytest.fixture
def acknowledgements(tmp_path: Path) -> Acknowledgements:
    settings = alarming_project(tmp_path)
    return Acknowledgements(settings, ProjectProcesses(settings), EventInboxes(settings))


@pytest.mark.parametrize(
    ("behind", "played"),
    [(None, False), (timedelta(hours=6), False), (timedelta(days=2), True), (-timedelta(days=2), True)],
)
def test_the_moment(
    acknowledgements: Acknowledgements, monkeypatch: pytest.MonkeyPatch, behind: timedelta | None, played: bool
) -> None:
    now = datetime.now(UTC)
    newest = {} if behind is None else {"air": now - behind, "desk": now - behind - timedelta(hours=1)}
    monkeypatch.setattr(acknowledgement, "newest_events", lambda _: newest)
    said = acknowledgements.post(FORM, ALARM, "Ada")
    moment = datetime.fromisoformat(str(said.pop("at")))
    assert abs(moment - (newest["air"] if played else now)) < timedelta(minutes=5)
    assert said == {"says": "seen"}, "nobody asks who it was"


def test_where_no_event_does_it_the_way_out_is_told(acknowledgements: Acknowledgements) -> None:
    with pytest.raises(ProblemError) as problem:
        acknowledgements.post(AlarmForm("alarm", (), "alarms", None), ALARM, None)
    assert "SWITCH CONTEXT seen" in str(problem.value.error.hint)
