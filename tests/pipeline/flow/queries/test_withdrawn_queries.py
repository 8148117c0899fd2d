"""Withdrawn queries among those that are registered: their order, what they read, who needs them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from kaicep.pipeline.flow.queries.registration import Registration, Withdrawal
from kaicep.pipeline.flow.queries.withdrawn_queries import WithdrawnQueries, involved
from support.station import START, project_of

TEXT = """
CREATE CONTEXTS road (clear DEFAULT, jam);
CREATE QUERY twos AS SELECT ?e.x FROM (?e, air) WHERE { FILTER (?e.x = 2) };
CREATE QUERY begins AS INITIATE CONTEXT jam FROM (?t, twos);
CREATE QUERY ends AS TERMINATE CONTEXT jam FROM (?d, door);
SELECT ?e.x FROM (?e, air) IN CONTEXT jam
"""


def registered(tmp_path: Path) -> dict[str, Registration]:
    return {one.label: one for one in project_of(tmp_path).registrations(TEXT, "jams")}


def gone(label: str, batch: int, place: int) -> Withdrawal:
    return Withdrawal(label, batch, START + timedelta(seconds=batch), place, sets={"road": START})


def test_they_stand_where_they_were_registered(tmp_path: Path) -> None:
    one, withdrawn = registered(tmp_path), WithdrawnQueries()
    withdrawn.add(one["ends"], gone("ends", 3, 2))
    withdrawn.add(one["begins"], gone("begins", 5, 1))
    left = [one["twos"], one["jams"], replace(one["begins"], now=START)]
    first, last = "begins (withdrawn at batch 5)", "ends (withdrawn at batch 3)"
    every = withdrawn.among(left, 9, restored=False)
    assert [r.label for r in every] == ["twos", first, last, "jams", "begins"]
    assert [r.withdrawal.until for r in every if r.withdrawal] == [START + timedelta(seconds=b) for b in (5, 3)]
    later = [r.withdrawal.until for r in withdrawn.among(left, 4, restored=False) if r.withdrawal]
    assert later == [None, START + timedelta(seconds=3)]
    assert [r.label for r in withdrawn.among(left, 4, restored=True)] == ["twos", first, "jams", "begins"]


def test_they_read_what_they_read_then(tmp_path: Path) -> None:
    one, withdrawn = registered(tmp_path), WithdrawnQueries()
    assert not withdrawn.read("twos")
    withdrawn.add(one["begins"], gone("begins", 3, 1))
    assert withdrawn.read("twos")
    assert withdrawn.streams("road") == {"twos"}
    assert withdrawn.streams("other") == set()
    withdrawn.add(one["twos"], gone("twos", 5, 0))
    assert withdrawn.streams("road") == {"air"}
    twos, begins = withdrawn.among([], 9, restored=False)
    assert twos.query.name == twos.label == "twos (withdrawn at batch 5)"
    assert [source.stream.name for source in begins.query.sources] == [twos.label]
    every = withdrawn.among([one["twos"], one["ends"], one["jams"]], 9, restored=False)
    assert [r.label for r in involved(every, ["jams"])] == [twos.label, begins.label, "ends", "jams"]


def test_they_are_forgotten_with_the_set(tmp_path: Path) -> None:
    one, withdrawn = registered(tmp_path), WithdrawnQueries()
    withdrawn.add(one["begins"], gone("begins", 3, 1))
    withdrawn.add(one["twos"], gone("twos", 5, 0))
    assert not withdrawn.retain(["road", "other"])
    assert withdrawn.registered("road", None) == START
    assert withdrawn.registered("other", None) is None
    assert withdrawn.retain(["other"])
    assert list(withdrawn) == []


def test_from_when_on_they_count_is_told_by_label(tmp_path: Path) -> None:
    one, withdrawn = registered(tmp_path), WithdrawnQueries()
    withdrawn.add(one["begins"], replace(gone("begins", 3, 1), since=START))
    withdrawn.add(one["ends"], gone("ends", 4, 1))
    later = START + timedelta(days=1)
    assert withdrawn.changed_since({"begins": later}) == {"begins": later, "begins (withdrawn at batch 3)": START}


def test_a_replay_tells_up_to_when_they_count(tmp_path: Path) -> None:
    withdrawn = WithdrawnQueries()
    withdrawn.add(registered(tmp_path)["ends"], gone("ends", 3, 0))
    (label,) = (one.label for one in withdrawn)
    withdrawn.answered({label: START, "other": START + timedelta(days=1)})
    assert [one.withdrawal.until for one in withdrawn if one.withdrawal] == [START]
    (one,) = withdrawn.among([], 4, restored=False)
    assert one.withdrawal is not None
    assert one.withdrawal.until == START
