"""What became of alarms, put together from rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from kaicep.archive.log import Position
from kaicep.server.alarms.alarm_form import AlarmForm, SeenEvent
from kaicep.server.alarms.alarm_history import Alarm, AlarmHistory
from kaicep.server.rows import RowCursor
from kaicep.server.rows.match_reader import MatchRow

FORM = AlarmForm("alarm", ("room",), "alarms", SeenEvent("desk", "at", {}, ("room",), "who", "acknowledged"))


class Rows:
    """Rows of two queries, read as those of the log of matches are."""

    def __init__(self) -> None:
        self._rows: dict[str, list[dict[str, str]]] = {}

    def put(self, query: str, row: dict[str, str]) -> None:
        kept = self._rows.setdefault(query, [])
        kept.append(row | {"_id": f"{query}{len(kept)}"})

    def queries(self) -> tuple[str, ...]:
        return tuple(self._rows)

    def after(self, query: str, cursor: RowCursor | None, limit: int) -> list[MatchRow]:
        first = 0 if cursor is None else cursor.number + 1
        numbered = list(enumerate(self._rows[query]))[first : first + limit]
        return [MatchRow(RowCursor(Position(0, 0), number), row) for number, row in numbered]


def change(rows: Rows, text: str) -> None:
    """Changes such as `08:01 B1 raised started`, and `08:02 B1 Ada`: she says that she has seen it."""
    for one in text.split(", "):
        time, room, *words = one.split()
        if len(words) == 1:
            rows.put("acknowledged", {"_time": time, "room": room, "who": words[0]})
        else:
            rows.put("alarms", {"_time": time, "room": room, "context": words[0], "change": words[1]})


def told(alarms: Sequence[Alarm]) -> list[str]:
    return [f"{one.key['room']} {one.state} {one.raised} {one.acknowledged} {one.who} {one.cleared}" for one in alarms]


@pytest.mark.parametrize(
    ("changes", "alarms"),
    [
        ("1 B1 raised started", ["B1 raised 1 None None None"]),
        ("1 B1 raised started, 2 B1 raised ended", ["B1 cleared 1 None None 2"]),
        ("1 B1 raised started, 2 B1 Ada, 2 B1 raised ended, 2 B1 seen started", ["B1 acknowledged 1 2 Ada None"]),
        ("1 B1 raised started, 2 B1 raised ended, 2 B1 seen started, 3 B1 seen ended", ["B1 cleared 1 2 None 3"]),
        (
            "1 B1 raised started, 2 B1 raised ended, 3 B1 raised started",
            ["B1 cleared 1 None None 2", "B1 raised 3 None None None"],
        ),
        (
            "1 B1 raised started, 1 B2 raised started, 2 B2 raised ended",
            ["B1 raised 1 None None None", "B2 cleared 1 None None 2"],
        ),
        ("1 B1 seen started", ["B1 acknowledged None 1 None None"]),
        ("1 B1 raised ended", []),
        ("1 B1 raised started, 2 B1 seen started, 3 B1 raised ended, 4 B1 seen ended", ["B1 cleared 1 2 None 4"]),
        ("1 B1 raised started, 1 B1 other started", ["B1 raised 1 None None None"]),
    ],
)
def test_alarms(changes: str, alarms: list[str]) -> None:
    """The last but one: `seen` is initiated, and `raised` goes on."""
    at_once, rows = Rows(), Rows()
    change(at_once, changes)
    assert told(AlarmHistory(FORM, at_once).alarms()) == alarms  # type: ignore[arg-type] # read likewise
    history = AlarmHistory(FORM, rows)  # type: ignore[arg-type] # likewise
    for one in changes.split(", "):
        change(rows, one)
        history.alarms()
    assert told(history.alarms()) == alarms, "asked after each row"


def test_of_those_that_are_over_the_oldest_are_forgotten() -> None:
    rows = Rows()
    change(rows, "0 open raised started")
    for number in range(1, 1_500):
        change(rows, f"{number} B{number} raised started, {number} B{number} raised ended")
    history = AlarmHistory(FORM, rows)  # type: ignore[arg-type] # read likewise
    alarms = history.alarms()
    assert told(alarms)[0] == "open raised 0 None None None"
    assert len(alarms) <= 1_001
    assert told(alarms)[-1] == "B1499 cleared 1499 None None 1499"
