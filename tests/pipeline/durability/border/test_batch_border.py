"""Queries come and go between two batches, each by itself."""

from __future__ import annotations

from pathlib import Path

from support.station import COUNT, Station, counts


def test_a_query_that_is_refused_at_a_border_loses_and_repeats_no_other(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, archive=False)
    opened.append(station)
    station.deliver(air=[1])
    past = "SELECT ?e.x AS x FROM (?e, air) WITHIN (2026-01-01, )"
    for label, text in (("first", COUNT), ("past", past), ("last", COUNT)):
        station.submit(text, label)
    found = station.deliver(air=[2])
    (parked,) = station.flow.queries.parked
    assert "'past' begins in the past, of which there is no archive" in str(parked.failure)
    station.flow.queries.withdraw("past", station.flow.dataflow)
    found = station.deliver(air=[11, 22])
    assert not list(station.flow.queries.parked)
    assert {label: counts(found, label) for label in found} == {"first": [1, 1], "last": [1, 1]}
