"""What happens to an engine in the course of a year; whoever watches starts it again where a fault has ended it."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

from .building import Readings
from .engine_process import EngineProcess, kaicep

__all__ = ["FAULTS", "Fault", "Patient"]


_QUIET_S = 5.0


class Patient:
    """An engine under test, its folder, and what comes to it."""

    def __init__(self, folder: Path, readings: Readings) -> None:
        self.folder, self.readings = folder, readings
        self.engine = EngineProcess(folder)

    @property
    def state(self) -> Path:
        """The folder of the engine's state."""
        return self.folder / "var" / "state"


Fault = Callable[[Patient], None]


def killed(patient: Patient) -> None:
    """Kill -9 of engine and Java."""
    patient.engine.kill()


def killed_while_it_starts(patient: Patient) -> None:
    """Kill -9 three times, each a little later in the start."""
    for seconds in (1.0, 4.0, 8.0):
        patient.engine.kill()
        patient.engine.start()
        time.sleep(seconds)
    patient.engine.kill()


def told_to_terminate(patient: Patient) -> None:
    """SIGTERM: it finishes the batch at work."""
    code = patient.engine.stop()
    assert code == 128 + signal.SIGTERM, code


def java_killed(patient: Patient) -> None:
    """Kill -9 of Java alone: the engine says so and ends."""
    for process in patient.engine.java():
        os.kill(process, signal.SIGKILL)
    assert patient.engine.ended() == 1


def suspended(patient: Patient) -> None:
    """SIGSTOP of everything for twenty seconds, as when a virtual machine is moved."""
    patient.engine.send(signal.SIGSTOP)
    time.sleep(20.0)
    patient.engine.send(signal.SIGCONT)


def snapshot_emptied(patient: Patient) -> None:
    """A power cut that leaves the newest snapshot empty."""
    patient.engine.kill()
    _emptied(patient.state / "snapshots", "*")


def journal_torn(patient: Patient) -> None:
    """A power cut amid the journal's last line."""
    patient.engine.kill()
    journal = patient.state / "queries" / "batches.jsonl"
    os.truncate(journal, journal.stat().st_size - 20)


def registrations_emptied(patient: Patient) -> None:
    """A power cut that leaves the list of registered queries empty."""
    patient.engine.kill()
    _emptied(patient.state, "registrations*.json")


def sparks_offsets_emptied(patient: Patient) -> None:
    """A power cut that leaves Spark's newest offsets empty."""
    patient.engine.kill()
    _emptied(patient.state, "offsets/[0-9]*")


def sparks_commit_emptied(patient: Patient) -> None:
    """A power cut that leaves Spark's newest commit empty."""
    patient.engine.kill()
    _emptied(patient.state, "commits/[0-9]*")


def store_lost(patient: Patient) -> None:
    """The semantic store is deleted while nothing runs: it is built again from the log."""
    patient.engine.kill()
    shutil.rmtree(patient.folder / "var" / "archive" / "store", ignore_errors=True)


def archived_meanwhile(patient: Patient) -> None:
    """The engine is away, the archiver keeps what comes."""
    patient.engine.kill()
    archiver = EngineProcess(patient.folder, ("archive", ".", "--follow"))
    archiver.start()
    time.sleep(25.0)
    assert archiver.stop() in {128 + signal.SIGTERM, -signal.SIGTERM}  # the latter amid its start


def hostile_records(patient: Patient) -> None:
    """Records that are nested too deep, too long, or no text."""
    deep = '{"t": "2026-03-01T00:00:00Z", "sensor": "S1", "flow": ' + "[" * 800 + "]" * 800 + "}"
    long = '{"t": "2026-03-01T00:00:00Z", "sensor": "' + "S" * 1_000_000 + '", "flow": "much"}'
    patient.readings.put_lines("air", [deep, long, "\x00\x01", '{"t": 5', "[]", "null", '{"t": "yesterday"}'])


def hostile_query(patient: Patient) -> None:
    """A query that would make millions of rows: it alone is stopped."""
    text = "SELECT ?a.sensor FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)"
    submitted = kaicep("submit", text, "--name", "hostile", "-p", patient.folder)
    assert submitted.returncode == 0, submitted.stderr
    patient.engine.wait_for_batch()
    withdrawn = kaicep("withdraw", "hostile", "-p", patient.folder)
    assert withdrawn.returncode == 0, withdrawn.stderr


def knowledge_changed(patient: Patient) -> None:
    """A module comes and goes again; what it says concerns no query."""
    module = patient.folder / "more.ttl"
    module.write_text("@prefix b: <urn:building#> . b:r99 a b:Office .")
    added = kaicep("ontology", "add", module, "-p", patient.folder)
    assert added.returncode == 0, added.stderr
    patient.engine.wait_for_batch()
    removed = kaicep("ontology", "remove", module.name, "-p", patient.folder)
    assert removed.returncode == 0, removed.stderr


def files_of_other_times(patient: Patient) -> None:
    """A file whose time stamp lies thirty days ahead, then one that is as old; each is read by itself."""
    with patient.readings.held():
        for days in (30.0, -30.0):
            _all_read(patient)
            patient.readings.write_alone(days)
        _all_read(patient)


FAULTS: tuple[Fault, ...] = (
    killed,
    hostile_records,
    java_killed,
    journal_torn,
    suspended,
    hostile_query,
    sparks_commit_emptied,
    archived_meanwhile,
    snapshot_emptied,
    knowledge_changed,
    files_of_other_times,
    killed_while_it_starts,
    registrations_emptied,
    told_to_terminate,
    store_lost,
    sparks_offsets_emptied,
)


def _all_read(patient: Patient) -> None:
    """Wait until the engine has read all there is: it has counted no record for five seconds."""
    before, since = None, time.monotonic()
    while time.monotonic() - since < _QUIET_S:
        now = patient.engine.status().get("records")
        if now != before:
            before, since = now, time.monotonic()
        time.sleep(0.2)


def _emptied(folder: Path, pattern: str) -> None:
    """Let the newest file of this name be empty."""
    files = [path for path in folder.rglob(pattern) if path.is_file() and path.name[0] != "."]
    max(files, key=lambda path: path.stat().st_mtime_ns).write_bytes(b"")
