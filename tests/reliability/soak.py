"""A building's engine under a fault a minute, over real Spark; in the end nothing is lost and nothing is there twice.

    python -m reliability.soak --minutes 30

While readings come, faults happen to the engine one after the other. At the end its rows, and the calls of its rule,
are compared with those of `Project.evaluate` over all readings, and the events in the archive with the readings.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from kaicep import Project
from kaicep.pipeline.sinks.row_values import json_lines
from support.receivers import WebReceiver, web_receiver

from .building import CONTEXTS, LATENESS, QUERIES, RULE, Building, Readings
from .engine_process import kaicep
from .faults import FAULTS, Patient

__all__ = ["Report", "soak"]

_READINGS_EVERY_S = 0.5
_LOOK_EVERY_S = 1.0
_FLAT = 1.05
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Recovery:
    """What one fault cost: seconds until the next batch was done."""

    minute: int
    fault: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Sample:
    """The engine at one moment."""

    minute: float
    life: int
    age: float
    memory: int
    files: int
    batch_seconds: float


@dataclass
class Report:
    """What a soak has found.

    Attributes:
        records: that were written.
        calls: that were handed on, each counted once; one may come again, with its key.
        lost: rows that `evaluate` gives and the engine did not, calls likewise, and events that the archive lacks.
        twice: rows and events that are there more than once.
        strange: rows and events that should not be there, or have other values.
    """

    records: int = 0
    batches: int = 0
    lives: int = 0
    rows: int = 0
    events: int = 0
    calls: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    recoveries: list[Recovery] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is lost, twice or strange."""
        return not (self.lost or self.twice or self.strange)

    @property
    def memory_growth(self) -> float:
        """The highest resident memory of the last third of the time, over that of the middle third."""
        end = max((sample.minute for sample in self.samples), default=0.0)
        thirds = [
            max((s.memory for s in self.samples if low * end <= s.minute <= high * end), default=0)
            for low, high in ((1 / 3, 2 / 3), (2 / 3, 1))
        ]
        return thirds[1] / thirds[0] if thirds[0] else 1.0

    def lines(self) -> Iterator[str]:
        """The report for people, as a Markdown table and a few sentences."""
        yield "| fault | times | seconds until the next batch (median, worst) |"
        yield "|---|---|---|"
        for name in dict.fromkeys(recovery.fault for recovery in self.recoveries):
            seconds = sorted(r.seconds for r in self.recoveries if r.fault == name)
            yield f"| {name.replace('_', ' ')} | {len(seconds)} | {seconds[len(seconds) // 2]:.0f}, {seconds[-1]:.0f} |"
        yield ""
        yield f"{self.records:,} records in {self.batches:,} batches of {self.lives} processes;"
        yield f"{self.rows:,} rows and {self.events:,} events, each once: {'yes' if self.sound else 'NO'};"
        yield f"{self.calls:,} calls of a rule in contexts, none lost or of another key."
        memory = max((sample.memory for sample in self.samples), default=0) / _MEGABYTE
        files = max((sample.files for sample in self.samples), default=0)
        yield f"Resident memory: at most {memory:.0f} MB, last third over middle third {self.memory_growth:.3f};"
        yield f"at most {files:,} files in var/."
        for what in ("lost", "twice", "strange"):
            found = getattr(self, what)
            if found:
                yield f"{what}: {len(found):,}, such as"
                yield from (f"  {line}" for line in found[:10])


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Soak:
    """One soak.

    Args:
        folder: an empty one.
        minutes: how long readings come; a fault a minute.
        receiver: takes the calls of the rule.
        tell: takes lines about what happens.
    """

    def __init__(
        self, folder: Path, minutes: float, receiver: WebReceiver, tell: Callable[[str], object] = _tell
    ) -> None:
        self._building, self._receiver = Building(folder, receiver.url), receiver
        self._building.write()
        self._readings = Readings(folder)
        self._patient = Patient(folder, self._readings)
        self._folder, self._minutes, self._tell = folder, minutes, tell
        self._report = Report()
        self._began = time.monotonic()
        self._born = self._began

    def run(self) -> Report:
        """Do it all."""
        try:
            with _repeated(self._write, _READINGS_EVERY_S), _repeated(self._look, _LOOK_EVERY_S):
                self._revive()
                for minute in range(int(self._minutes)):
                    self._minute(minute)
            self._finish()
        finally:
            self._patient.engine.kill()
        self._report.lives = self._patient.engine.lives
        compare(self._folder, self._readings, self._report, self._receiver.ids())
        return self._report

    def _minute(self, minute: int) -> None:
        """A minute: a fault, then time to recover."""
        fault = FAULTS[minute % len(FAULTS)]
        began = time.monotonic()
        fault(self._patient)
        hurt = time.monotonic()
        self._revive()
        recovery = Recovery(minute, fault.__name__, time.monotonic() - hurt)
        self._report.recoveries.append(recovery)
        self._tell(f"minute {minute}: {recovery.fault}: the next batch after {recovery.seconds:.1f} s")
        time.sleep(max(60.0 - (time.monotonic() - began), 0.0))

    def _revive(self) -> None:
        """Start the engine if it does not run, and wait until it has done a batch; twice, in case it then dies."""
        for _ in range(2):
            if not self._patient.engine.running:
                self._patient.engine.start()
                self._born = time.monotonic()
            self._patient.engine.wait_for_batch()
            if self._patient.engine.running:
                return
        message = f"the engine does not start: see {self._folder / 'engine.log'}"
        raise RuntimeError(message)

    def _finish(self) -> None:
        """Let the engine take what is there, end, and end its streams."""
        engine, before = self._patient.engine, -1
        while engine.running and (now := engine.status().get("records", 0)) != before:
            before = now
            time.sleep(10.0)
        engine.stop()
        self._report.batches = json.loads((self._patient.state / "status.json").read_bytes())["batches"]
        done = kaicep("run", self._folder, "--finish", "--out", self._folder / "matches.jsonl", "--quiet")
        assert done.returncode == 0, done.stderr

    def _write(self) -> None:
        """Let readings come, whatever happens to the engine."""
        with self._readings.held():
            self._report.records += self._readings.write(time.monotonic() - self._began)

    def _look(self) -> None:
        """Note how the engine fares."""
        status = self._patient.engine.status()
        if status:
            now = time.monotonic()
            files = sum(len(names) for _, _, names in os.walk(self._folder / "var"))
            place = ((now - self._began) / 60, self._patient.engine.lives, now - self._born)
            self._report.samples.append(Sample(*place, status["memory"], files, status["batch_seconds"]))


@contextmanager
def _repeated(do: Callable[[], None], every: float) -> Iterator[None]:
    """Do something again and again within, so many seconds apart, on another thread; its error is met at the end."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(every):
            do()

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(run)
        try:
            yield
        finally:
            ended.set()
        done.result()


def soak(folder: Path, minutes: float, tell: Callable[[str], object] = _tell) -> Report:
    """Let an engine live through a fault a minute; what was found."""
    with web_receiver() as receiver:
        return Soak(folder, minutes, receiver, tell).run()


def compare(folder: Path, readings: Readings, report: Report, called: Sequence[str]) -> None:
    """Hold the engine's rows, its calls and the archive's events to what they should be."""
    with (folder / "matches.jsonl").open(encoding="utf-8") as lines:
        found = [row for row in map(json.loads, lines) if row["_query"] in QUERIES]  # a hostile one is there too
    report.rows = len(found)
    rows = [(f"{row['_query']}/{row['_id']}", _values(row)) for row in found]
    _hold("row", {name: _values(row) for name, row in _expected_rows(folder, readings)}, report, rows)
    _hold_calls(folder, readings, report, called)
    asked = kaicep("sparql", "SELECT ?e { ?e a ?c VALUES ?c { b:AirReading b:DoorReading } }", "-p", folder)
    assert asked.returncode == 0, asked.stderr
    events = [(json.loads(line)["e"], "") for line in asked.stdout.splitlines()]
    report.events = len(events)
    _hold("event", dict.fromkeys(_expected_events(readings), ""), report, events)


def _hold(kind: str, expected: Mapping[str, str], report: Report, found: list[tuple[str, str]]) -> None:
    counts = Counter(name for name, _ in found)
    report.lost += [f"{kind} {name} {expected[name]}" for name in expected if name not in counts]
    report.twice += [f"{kind} {name} {count} times" for name, count in counts.items() if count > 1]
    report.strange += [f"{kind} {name} {value}" for name, value in found if expected.get(name) != value]


def _hold_calls(folder: Path, readings: Readings, report: Report, called: Sequence[str]) -> None:
    """Each call is made; of rows over the end of the streams only `evaluate` calls. What comes twice has its key.

    Contexts that doors change are known as far as these are.
    """
    document = ";\n".join([CONTEXTS, QUERIES["stale"], RULE, QUERIES["spell"]])
    expected = Project.load(folder).evaluate(document, _streams(readings)).calls
    moments = ([datetime.fromisoformat(record["t"]) for record in records] for records in _streams(readings).values())
    last = min(map(max, moments))
    sure = [call["_id"] for call in expected if call["_time"] < last - LATENESS]
    known, found = {call["_id"] for call in expected}, dict.fromkeys(called)
    report.calls = len(found)
    report.lost += [f"call {name}" for name in sure if name not in found]
    report.strange += [f"call {name}" for name in found if name not in known]


def _streams(readings: Readings) -> dict[str, list[dict[str, Any]]]:
    return {name: list(readings.records(name)) for name in ("air", "door")}


def _values(row: Mapping[str, Any]) -> str:
    """All that a row says, but for where it was found."""
    return json.dumps({key: value for key, value in row.items() if key not in ("_source", "_recovered")})


def _expected_rows(folder: Path, readings: Readings) -> Iterator[tuple[str, dict[str, Any]]]:
    project, streams = Project.load(folder), _streams(readings)
    before = {"rises": QUERIES["rise"], "stale": CONTEXTS, "spell": CONTEXTS}
    for name, text in QUERIES.items():
        document = f"{before[name]};\n{text}" if name in before else text
        for line in json_lines(project.evaluate(document, streams).to_arrow(), name).splitlines():
            row = json.loads(line)
            yield f"{name}/{row['_id']}", row


def _expected_events(readings: Readings) -> set[str]:
    """The names of all readings, of late ones too."""
    return {
        f"urn:kaicep:event:{stream}/{record[key]}/{round(datetime.fromisoformat(record['t']).timestamp() * 1_000_000)}"
        for stream, key in (("air", "sensor"), ("door", "door"))
        for record in readings.records(stream)
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--folder", type=Path, help="kept; by default a temporary one, which is not")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kaicep-soak-") as temporary:
        report = soak(given.folder or Path(temporary), given.minutes)
    sys.stdout.write("\n".join([*report.lines(), ""]))
    sys.exit(0 if report.sound and report.memory_growth <= _FLAT else 1)


if __name__ == "__main__":
    main()
