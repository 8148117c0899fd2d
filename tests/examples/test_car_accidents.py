"""Car accidents and whom they are told to, against a plain reading of the reports and the benchmark's alerts."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from kaicep import Project
from kaicep.examples import car_accidents
from kaicep.examples.car_accidents.control_room import note
from kaicep.examples.linear_road.reports import load_expected, load_reports
from support.rows import Row

pytestmark = pytest.mark.xdist_group("linear_road")
EXAMPLE = Path(car_accidents.__file__).parent
FOUR_REPORTS, TWO_MINUTES, MINUTE = timedelta(seconds=90), timedelta(minutes=2), timedelta(minutes=1)
Segment = tuple[int, int, int]


@cache
def calls() -> Sequence[Mapping[str, Any]]:
    """What the rules call for all reports."""
    documents = [path.read_text(encoding="utf-8") for path in sorted((EXAMPLE / "queries").glob("*.chi"))]
    text = ";\n".join(document.rstrip().removesuffix(";") for document in documents)
    return Project.load(EXAMPLE).evaluate(text, {"report": load_reports().to_arrow()}).calls


def told(action: str) -> list[tuple[datetime, dict[str, Any]]]:
    return [(call["_time"], call["arguments"]) for call in calls() if call["action"] == action]


def of_segment(report: Row) -> Segment:
    return report["xway"], report["dir"], report["seg"]


@cache
def accidents() -> list[tuple[datetime, Segment, int, int]]:
    """When and where an accident is, which vehicle stands and which one brakes; moment by moment."""
    last: dict[int, deque[Row]] = defaultdict(deque)
    standing: dict[Segment, dict[int, datetime]] = defaultdict(dict)
    under_way: dict[Segment, datetime | None] = {}
    found: list[tuple[datetime, Segment, int, int]] = []
    for moment in load_reports().partition_by("at", maintain_order=True):
        now, stands, brakes = moment["at"][0], [], []
        for segment in [of for of, seen in under_way.items() if seen is not None and now > seen + MINUTE]:
            del under_way[segment]
        for report in moment.to_dicts():
            own = last[report["vid"]]
            own.append(report)
            while now - own[0]["at"] > FOUR_REPORTS:
                own.popleft()
            if len(own) >= 4 and len({one["pos"] for one in own}) == 1:
                stands.append(report)
            if (report["speed"] - own[0]["speed"]) / (own[0]["speed"] + 0.01) <= -0.3:
                brakes.append(report)
        before = set(under_way)
        for report in brakes:
            segment, vid = of_segment(report), report["vid"]
            if segment not in before:
                seen = [one for one, at in standing[segment].items() if one != vid and now - at <= TWO_MINUTES]
                found += [(now, segment, one, vid) for one in seen]
                under_way |= {segment: None} if seen else {}
        for report in stands:
            segment = of_segment(report)
            if segment in before:
                under_way[segment] = now
            elif segment in under_way:
                standing[segment].clear()
            else:
                standing[segment][report["vid"]] = now
    return found


def test_accidents_are_those_of_a_plain_reading() -> None:
    expected = [
        (now, {"xway": xway, "dir": way, "seg": seg, "stands": stands, "brakes": brakes})
        for now, (xway, way, seg), stands, brakes in accidents()
    ]
    assert told("police") == told("ambulance") == expected


def test_they_are_the_benchmark_s_and_told_before_its_first_alert() -> None:
    """It tells at the end of a minute that two vehicles stand; here one stands, and another one brakes behind it."""
    alerts = load_expected().filter(pl.col("type") == 1).group_by("lav_or_accident_seg").agg(pl.col("time").min())
    first = {segment: datetime.fromtimestamp(time, UTC) for segment, time in alerts.iter_rows()}
    found = {said["seg"]: at for at, said in told("police")}
    assert found.keys() == first.keys()
    assert all(timedelta(0) < first[segment] - at < TWO_MINUTES for segment, at in found.items())


def test_signs_warn_in_five_segments_behind_it() -> None:
    """Towards the west, behind is where numbers are higher."""
    expected = {
        (now, seg + step * (1 if way else -1), seg) for now, (_, way, seg), *_ in accidents() for step in range(6)
    }
    signs = told("signs")
    assert len(signs) == len(expected)
    assert {(at, said["seg"], said["accident"]) for at, said in signs} == expected


def test_the_toll_is_due_again_after_20_minutes() -> None:
    known = [(now, said["toll"], said["seg"]) for now, said in told("tollStation")]
    begun = [(now, segment[2]) for now, segment, *_ in accidents()]
    again = [(now + timedelta(minutes=20), "due", seg) for now, seg in begun]
    assert known == sorted([*((now, "free", seg) for now, seg in begun), *again])


def test_a_call_that_comes_again_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2, 1):
        note({"_id": str(number), "action": "police"})
    lines = (tmp_path / "told" / "police.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["_id"] for line in lines] == ["1", "2"]
