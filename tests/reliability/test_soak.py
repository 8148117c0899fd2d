"""The soak finds what is wrong, and finds nothing wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import HANGING_SECONDS

from reliability.faults import FAULTS
from reliability.soak import Report, Sample, _hold, _repeated, soak


def test_what_is_lost_twice_or_strange_is_found() -> None:
    report = Report()
    expected = {"a": "1", "b": "2", "c": "3", "d": "4"}
    _hold("row", expected, report, [("a", "1"), ("b", "2"), ("b", "2"), ("c", "changed"), ("e", "5")])
    assert report.lost == ["row d 4"]
    assert report.twice == ["row b 2 times"]
    assert report.strange == ["row c changed", "row e 5"]
    assert not report.sound


def test_memory_that_grows_is_found() -> None:
    flat, growing = Report(), Report()
    for minute in range(30):
        flat.samples.append(Sample(minute, 1, 0.0, 500 + minute % 3, 10, 0.1))
        growing.samples.append(Sample(minute, 1, 0.0, 500 + 10 * minute, 10, 0.1))
    assert flat.memory_growth == 1.0
    assert growing.memory_growth > 1.1


def test_what_is_done_meanwhile_is_done_again_and_again_and_its_failure_is_met() -> None:
    done = threading.Semaphore(0)
    with _repeated(done.release, 0.0):
        assert all(done.acquire(timeout=HANGING_SECONDS) for _ in range(3))
    failed = threading.Event()

    def fail() -> None:
        failed.set()
        raise LookupError

    with pytest.raises(LookupError), _repeated(fail, 0.0):
        assert failed.wait(HANGING_SECONDS)


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.reliability
def test_an_engine_survives_every_fault(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    report = soak(tmp_path, len(FAULTS))
    record_property("records", report.records)
    record_property("faults", len(report.recoveries))
    record_property("seconds until the next batch, at most", round(max(r.seconds for r in report.recoveries)))
    record_property("memory, last third over middle third", round(report.memory_growth, 3))
    assert report.sound, "\n".join(report.lines())
    assert {recovery.fault for recovery in report.recoveries} == {fault.__name__ for fault in FAULTS}
