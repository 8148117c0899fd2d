"""What a deriving query has changed stays when it goes: live = rebuilt = the past of who comes late (LANGUAGE-2 §6)."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kaicep.language.nodes import Query
from kaicep.storage import read_mirrored, remove_mirrored, write_mirrored
from support.sampling import some_of
from support.station import Station

ROAD = "CREATE CONTEXTS road (clear DEFAULT, jam, snow);"
INITIATE = "INITIATE CONTEXT jam FROM (?e, air) WHERE { FILTER (?e.x % 10 = 2) }"
TERMINATE = "TERMINATE CONTEXT jam FROM (?e, air) IN CONTEXT jam WHERE { FILTER (?e.x % 10 = 6) }"
IN_JAM = "SELECT ?e.x FROM (?e, air) IN CONTEXT jam"
PAST = "WITHIN (now - 1h, )"
JAM = {"begins": INITIATE, "ends": TERMINATE, "jams": IN_JAM}


class Road:
    """A station whose queries are submitted one by one, and those that are left again at each start."""

    def __init__(
        self, folder: Path, opened: list[Station], texts: Mapping[str, str] = JAM, lateness: str = "0s"
    ) -> None:
        self.station = Station(folder, air={"lateness": lateness}, door={"lateness": lateness})
        opened.append(self.station)
        self.texts: dict[str, str] = {}
        self.queries: dict[str, Query] = {}
        self.rows: dict[str, list[dict[str, Any]]] = {}
        for label, text in texts.items():
            self.submit(label, text)

    def submit(self, label: str, text: str) -> None:
        self.texts[label] = text
        named = text if text.startswith(("SELECT", "CREATE")) else f"CREATE QUERY {label} AS {text}"
        known = [query for other, query in self.queries.items() if other in self.texts and other != label]
        registrations = self.station.project.registrations(f"{ROAD} {named}", label, known)
        self.queries[label] = registrations[-1].query
        self.station.flow.queries.submit(registrations)

    def withdraw(self, *labels: str) -> None:
        for label in labels:
            del self.texts[label]
            self.station.flow.queries.withdraw(label, self.station.flow.dataflow)

    def deliver(self, **seconds: Sequence[float]) -> None:
        for label, found in self.station.deliver(**seconds).items():
            self.rows[label] = self.rows.get(label, []) + found

    def restart(self, *gone: str, without: Sequence[str] = ()) -> None:
        """A process is killed, and another one begins, without some files of the state and some queries."""
        self.station.stop()
        for pattern in without:
            for path in (self.station.folder / "state").glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.station.start()
        texts, self.texts = self.texts, {}
        for label, text in texts.items():
            if label not in gone:
                self.submit(label, text)

    def settle(self) -> None:
        """Until nobody is with its past any more."""
        for _ in range(500):
            if not self.station.flow.queries.overdue:
                return
            time.sleep(0.01)
            self.deliver()

    def x(self, label: str = "jams") -> list[int]:
        return [row["x"] for row in self.rows.get(label, [])]

    @property
    def withdrawn(self) -> list[str]:
        return [one.label for one in self.station.flow.dataflow.queries.withdrawn]


SNAPSHOTS = ("snapshots",)
REGISTRATIONS = ("queries/registrations.json", "queries/.registrations.json.copy")
OPEN = [3, 4, 5, 6, *range(13, 36)]  # what ends a jam goes when 13 has been; it comes back when 29 has


@pytest.mark.parametrize("without", [(), SNAPSHOTS, REGISTRATIONS])
@pytest.mark.parametrize("at", [15, 20, 25])
def test_open_windows_stay(at: int, without: Sequence[str], tmp_path: Path, opened: list[Station]) -> None:
    """Whenever an engine goes down behind it, and whatever of the state is lost."""
    road = Road(tmp_path, opened)
    for first in range(0, 50, 5):
        if first == 15:
            road.withdraw("ends")
        if first == at:
            road.deliver()
            road.restart(without=without)
        if first == 30:
            road.submit("ends", TERMINATE)
        road.deliver(air=range(first, first + 5))
    road.settle()
    road.deliver(air=[50])
    assert road.x() == [*OPEN, 36, 43, 44, 45, 46]
    road.submit("late", f"{IN_JAM} {PAST}")
    road.deliver()
    road.settle()
    assert road.x("late") == road.x(), "whoever comes late sees the same windows"
    assert road.withdrawn == ["ends (withdrawn at batch 4)"]


def test_what_began_windows_may_be_gone_for_good(tmp_path: Path, opened: list[Station]) -> None:
    """Withdrawn twice under one label, it counts in both intervals and not between them."""
    road = Road(tmp_path, opened)
    for first in range(0, 60, 10):
        match first:
            case 10 | 40:
                road.withdraw("begins")
            case 30:
                road.submit("begins", INITIATE)
        road.deliver(air=range(first, first + 10))
    assert road.x() == [3, 4, 5, 6, 33, 34, 35, 36]
    assert road.withdrawn == ["begins (withdrawn at batch 2)", "begins (withdrawn at batch 5)"]
    road.restart(without=SNAPSHOTS)
    road.submit("late", f"{IN_JAM} {PAST}")
    road.deliver(air=[60])
    road.settle()
    assert road.x("late") == road.x() == [3, 4, 5, 6, 33, 34, 35, 36]
    road.restart()
    road.deliver(air=[61])
    assert len(road.withdrawn) == 2


def test_what_a_project_has_lost_counts_up_to_the_stop(tmp_path: Path, opened: list[Station]) -> None:
    road = Road(tmp_path, opened)
    road.deliver(air=range(15))
    road.restart("ends", without=SNAPSHOTS)
    road.deliver(air=range(15, 30))
    road.settle()
    road.submit("late", f"{IN_JAM} {PAST}")
    road.deliver()
    road.settle()
    road.deliver(air=[30])
    assert road.x("late") == road.x() == [3, 4, 5, 6, *range(13, 30)]
    done = road.station.flow.done
    road.restart("begins", without=SNAPSHOTS)
    road.deliver(air=[31])
    road.settle()
    assert road.withdrawn == ["ends (withdrawn at batch 2)", f"begins (withdrawn at batch {done + 1})"]


@pytest.mark.parametrize("without", [(), SNAPSHOTS])
def test_what_comes_on_a_slower_stream_changes_nothing_that_was_decided(
    without: Sequence[str], tmp_path: Path, opened: list[Station]
) -> None:
    """Withdrawn or not, also where all is derived once more."""
    road = Road(tmp_path, opened, {"jams": IN_JAM, "told": "SELECT ?c.since FROM (?c, CONTEXTS(road))"})
    road.deliver(air=range(20), door=range(5))
    road.submit("begins", INITIATE.replace("?e, air", "?e, door"))
    road.deliver(air=range(20, 25), door=range(5, 15))
    road.withdraw("begins")
    road.deliver(air=range(25, 30), door=range(15, 24))
    road.submit("begins", INITIATE.replace("?e, air", "?e, door"))
    road.deliver(air=range(30, 35), door=range(24, 33))
    road.restart(without=without)
    road.submit("late", f"{IN_JAM} {PAST}")
    road.deliver(air=[35, 36], door=[33, 34, 35])
    road.settle()
    road.deliver(air=[37], door=[40])
    assert road.x() == road.x("late") == [33, 34, 35, 36]


def test_it_is_forgotten_with_who_needs_it_last(tmp_path: Path, opened: list[Station]) -> None:
    changes = "SELECT ?c.context, ?c.change FROM (?c, CONTEXTS(road))"
    road = Road(tmp_path, opened, JAM | {"told": changes})
    registrations = tmp_path / "state" / "queries" / "registrations.json"
    road.deliver(air=range(5))
    road.withdraw("begins", "ends")
    road.deliver(air=[5])
    for gone, left in (("jams", 2), ("told", 0)):
        assert len(road.withdrawn) == 2
        road.withdraw(gone)
        road.deliver(air=[6 + left])
        assert len(road.withdrawn) == left
        assert registrations.read_text(encoding="utf-8").count('"withdrawn"') == left
    road.submit("jams", IN_JAM)
    road.submit("late", f"{IN_JAM} {PAST}")
    road.deliver(air=[13, 14])
    road.settle()
    road.deliver(air=[15])
    assert road.x("late") == [], "the set begins anew, with no window"


def test_what_another_process_has_lost_is_forgotten_too(tmp_path: Path, opened: list[Station]) -> None:
    road = Road(tmp_path, opened)
    road.deliver(air=range(5))
    road.withdraw("ends")
    road.deliver(air=[5])
    road.restart("begins", "jams")
    road.deliver(air=[6])
    assert road.withdrawn == []


def test_what_it_read_stays_with_it(tmp_path: Path, opened: list[Station]) -> None:
    """Also when the name means another query by now."""
    twos = "CREATE QUERY twos AS SELECT ?e.x FROM (?e, air) WHERE { FILTER (?e.x % 10 = 2) }"
    texts = {"twos": twos, "begins": "INITIATE CONTEXT jam FROM (?t, twos)", "ends": TERMINATE, "jams": IN_JAM}
    road = Road(tmp_path, opened, texts)
    road.deliver(air=range(14))
    road.withdraw("begins")
    road.deliver(air=range(14, 20))
    road.withdraw("twos")
    road.submit("twos", twos.replace("= 2", "= 4"))
    road.submit("again", texts["begins"])
    road.deliver(air=range(20, 30))
    assert road.withdrawn == ["begins (withdrawn at batch 2)", "twos (withdrawn at batch 3)"]
    road.restart(without=SNAPSHOTS)
    road.submit("late", f"{IN_JAM} {PAST}")
    road.deliver(air=[30])
    road.settle()
    assert road.x("late") == road.x() == [3, 4, 5, 6, 13, 14, 15, 16, 25, 26]
    road.withdraw("jams", "late", "ends", "again")
    road.deliver(air=[31])
    assert road.withdrawn == []


def test_the_state_of_an_earlier_version_is_read(tmp_path: Path, opened: list[Station]) -> None:
    """It knows nothing of withdrawn queries; what is registered goes on."""
    road = Road(tmp_path, opened)
    road.deliver(air=range(14))
    road.station.stop()
    path = tmp_path / "state" / "queries" / "registrations.json"
    notes = json.loads(read_mirrored(path))
    remove_mirrored(path)
    earlier = {label: {name: note[name] for name in ("query", "now")} for label, note in notes.items()}
    path.write_text(json.dumps(earlier), encoding="utf-8")
    journal = tmp_path / "state" / "queries" / "batches.jsonl"
    journal.unlink()
    shutil.rmtree(tmp_path / "state" / "snapshots")
    road.restart("ends")
    road.deliver(air=range(14, 20))
    road.settle()
    assert road.withdrawn == []
    assert road.x()[-1] == 18


def test_what_is_refused_by_now_is_told(tmp_path: Path, opened: list[Station]) -> None:
    road = Road(tmp_path, opened)
    road.deliver(air=range(14))
    road.withdraw("ends")
    road.deliver(air=[14])
    path = tmp_path / "state" / "queries" / "registrations.json"
    write_mirrored(path, read_mirrored(path).replace(b"?e.x % 10) = 6", b"?e.y % 10) = 6"))
    road.restart(without=SNAPSHOTS)
    road.deliver(air=[15])
    assert road.withdrawn == []
    assert any(line.startswith("recovery: what ends has changed, which was withdrawn") for line in road.station.said)


DERIVING = {
    "begins": INITIATE,
    "ends": TERMINATE,
    "snows": "INITIATE CONTEXT snow FROM (?d, door) IN CONTEXT clear WHERE { FILTER (?d.x % 7 = 3) }",
    "thaws": "TERMINATE CONTEXT snow FROM (?d, door), (?e, air) WHERE { JOIN (?d.x = ?e.x) WINDOW (?d, ?e, 10s) "
    "FILTER (?d.x % 7 = 6) }",
    "slips": "SWITCH CONTEXT jam FROM (?e, air) IN CONTEXT snow WHERE { FILTER (?e.x % 9 = 5) }",
}
ASKING = {
    "jams": IN_JAM,
    "others": "SELECT ?e.x FROM (?e, air) IN CONTEXT snow, clear",
    "counts": "SELECT COUNT(?e) AS n FROM (?e, air) IN CONTEXT jam, snow WINDOW (?e, CONTEXT)",
    "told": "SELECT ?c.context, ?c.change, ?c.since FROM (?c, CONTEXTS(road))",
}


def _rows(road: Road, label: str) -> list[list[object]]:
    return [
        [value for name, value in row.items() if name[0] != "_" or name == "_time"] for row in road.rows.get(label, [])
    ]


def _story(seed: int, folder: Path, opened: list[Station], *, killed: bool) -> tuple[list[object], list[object]]:
    """Queries come and go at random; the rows of those in contexts, and of the same that come in the end."""
    rng = Random(seed)
    deriving = rng.sample(sorted(DERIVING), rng.randint(2, 5))
    asking = rng.sample(sorted(ASKING), rng.randint(1, 3))
    texts = {label: DERIVING[label] for label in deriving} | {label: ASKING[label] for label in asking}
    road = Road(folder, opened, texts, lateness=rng.choice(("0s", "2s")))
    batches, at, gone = rng.randint(4, 9), {"air": 0, "door": 0}, list[str]()
    dies, damage = rng.randrange(1, batches), rng.choice(([], [*SNAPSHOTS], [*SNAPSHOTS], ["snapshots/*[02468].*"]))
    for batch in range(batches):
        events = {}
        for stream in [name for name in at if rng.random() < 0.8]:
            first, at[stream] = at[stream], at[stream] + rng.randint(1, 12)
            events[stream] = [x for x in range(first, at[stream]) if rng.random() < 0.9] or [first]
        left, what = [label for label in deriving if label in road.texts], rng.random()
        if what < 0.4 and left:
            gone.append(rng.choice(left))
            road.withdraw(gone[-1])
        elif what < 0.6 and gone:
            again = gone.pop(rng.randrange(len(gone)))
            road.submit(again, DERIVING[again])
        road.deliver(**events)
        if killed and batch == dies:
            road.restart(without=damage)
    for label in asking:
        window = ASKING[label].find(" WINDOW")
        place = len(ASKING[label]) if window < 0 else window
        road.submit(f"late_{label}", f"{ASKING[label][:place]} {PAST}{ASKING[label][place:]}")
    road.deliver()
    road.settle()
    road.deliver(**{stream: [last + 50] for stream, last in at.items()})
    return [_rows(road, label) for label in asking], [_rows(road, f"late_{label}") for label in asking]


@pytest.mark.parametrize("seed", some_of(range(5), 1))
def test_live_and_rebuilt_and_late_are_one(seed: int, tmp_path: Path, opened: list[Station]) -> None:
    live, late = _story(seed, tmp_path / "live", opened, killed=False)
    assert late == live
    assert _story(seed, tmp_path / "killed", opened, killed=True) == (live, live)
