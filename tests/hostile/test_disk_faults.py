"""Whatever a file system refuses, and whenever: nothing is lost, nothing comes twice, and the batch goes on later."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.errors import KaicepError
from kaicep.pipeline.durability import CheckpointedFlow, Generation
from kaicep.pipeline.sinks import JsonLinesSink, ParquetSink
from kaicep.pipeline.sources import RawBatch, raw_table
from kaicep.storage import is_transient
from support.disk_faults import faulty_disk
from support.sampling import some_of

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EMFILE)
QUERIES = {
    "pairs": "CREATE QUERY pairs AS SELECT ?a.x, ?b.x AS y SEQ (?a, ?b) WINDOW (?a, ?b, 3s)",
    "mean": "CREATE QUERY mean AS SELECT AVG(?e.x) AS m WINDOW (?e, batch, 4s)",
}
CONTENT: dict[str, Any] = {
    "streams": {
        "air": {
            "event_type": "<urn:E>",
            "time": {"attribute": "t"},
            "identity": ["x"],
            "attributes": {"x": {"datatype": "xsd:integer"}},
        }
    },
    "archive": {"store": False},
}
BATCHES = (range(1, 6), range(6, 11), range(11, 15))
"""The seconds of the events of each."""


class Engine:
    """One without Spark: it is given batches by their numbers, and again after what went wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.open()

    def open(self) -> None:
        """A process begins."""
        self._open = ExitStack()
        project = Project.parse(CONTENT, root=self.folder)
        self.archive = self._open.enter_context(Archive(project.settings, project.knowledge, project.shapes))
        sinks = (JsonLinesSink(self.folder / "rows.jsonl"), ParquetSink(self.folder / "parquet"))
        self.flow = CheckpointedFlow(project, self.folder / "state", sinks, self.archive)
        self._open.callback(self.flow.close)
        for label, text in QUERIES.items():
            self.flow.queries.submit(project.registrations(text, label))

    def close(self) -> None:
        """The process ends."""
        self._open.close()

    def deliver(self, number: int) -> None:
        """Give it a batch, with a record that goes to the dead letters."""
        rows: list[dict[str, Any]] = [
            {"t": (BEGIN + timedelta(seconds=second)).isoformat(), "x": second} for second in BATCHES[number - 1]
        ]
        records = {"air": RawBatch(raw_table([*rows, {"t": "no time", "x": number}]))}
        self.flow.deliver(number, Generation(self.folder / "spark", 1, self.folder / "beats"), lambda _: records)

    def left(self) -> dict[str, object]:
        """What others see of it: rows in both sinks, events in the log, dead letters, counts."""
        lines = (self.folder / "rows.jsonl").read_text().splitlines()
        files = sorted((self.folder / "parquet").rglob("*.parquet"))
        letters = (self.folder / "state" / "dead-letters").rglob("*.jsonl")
        log = self.archive.log
        return {
            "lines": [json.loads(line)["_id"] for line in lines],
            "parquet": sorted(row for file in files for row in pq.read_table(file)["_id"].to_pylist()),
            "log": [log.read_batch(position)["air"]["x"].to_pylist() for position in log.positions()],
            "letters": sorted(json.loads(line)["record"] for file in letters for line in file.read_text().splitlines()),
            "counts": self.flow.progress.streams["air"],
        }


@contextmanager
def engine() -> Iterator[Engine]:
    with TemporaryDirectory() as folder:
        found = Engine(Path(folder))
        try:
            yield found
        finally:
            found.close()


@cache
def undisturbed() -> dict[str, object]:
    with engine() as of:
        for number in (1, 2, 3):
            of.deliver(number)
        left = of.left()
    assert len(left["lines"]) > 5  # type: ignore[arg-type]
    assert left["log"] == [list(seconds) for seconds in BATCHES]
    return left


@cache
def operations(batch: int) -> int:
    """How many operations of the file system a batch takes."""
    with engine() as of, faulty_disk(of.folder) as disk:
        for number in range(1, batch):
            of.deliver(number)
        disk.fail(0, at=-1)
        of.deliver(batch)
        return len(disk.done)


def _error_of(of: Engine, number: int) -> Exception | None:
    try:
        of.deliver(number)
    except (OSError, KaicepError) as error:
        return error
    return None


def disturbed(batch: int, at: int, number: int, *, restarted: bool) -> tuple[dict[str, object], str]:
    """What is left after one operation of a batch failed, and which it was."""
    with engine() as of, faulty_disk(of.folder) as disk:
        for earlier in range(1, batch):
            of.deliver(earlier)
        disk.fail(number, at)
        error = _error_of(of, batch)
        assert error is None or is_transient(error)
        disk.mend()
        met = disk.done[at] if at < len(disk.done) else "nothing: threads that make one folder sync it once or twice"
        if restarted:
            of.close()
            of.open()
        for later in range(batch, len(BATCHES) + 1):
            of.deliver(later)
        return of.left(), met


def test_a_batch_syncs_what_it_makes_durable() -> None:
    """Else nothing below would be met."""
    assert undisturbed()["parquet"] == sorted(undisturbed()["lines"])  # type: ignore[call-overload]
    assert operations(2) > 15


@pytest.mark.parametrize("batch", some_of([2, 1], 1))
@pytest.mark.parametrize("restarted", [False, True], ids=["goes on", "starts again"])
def test_any_operation_of_a_batch_may_fail(restarted: bool, batch: int) -> None:
    """Some of them, by each error in turn; before the first batch there is no snapshot to go back to."""
    for at in range(int(restarted), operations(batch), 5):
        left, met = disturbed(batch, at, ERRORS[at % len(ERRORS)], restarted=restarted)
        assert left == undisturbed(), met


@pytest.mark.long
@pytest.mark.reliability
@pytest.mark.parametrize("restarted", [False, True], ids=["goes on", "starts again"])
def test_any_operation_of_a_batch_may_fail_by_any_error(
    restarted: bool, record_property: Callable[[str, object], None]
) -> None:
    cases = [(batch, at, error) for batch in (1, 2) for at in range(operations(batch)) for error in ERRORS]
    for batch, at, error in cases:
        left, met = disturbed(batch, at, error, restarted=restarted)
        assert left == undisturbed(), (batch, met, errno.errorcode[error])
    record_property("operations of the file system that failed, each by four errors", len(cases) // len(ERRORS))


def test_a_disk_that_stays_full_takes_no_event() -> None:
    """However often the batch is tried meanwhile."""
    with engine() as of, faulty_disk(of.folder) as disk:
        of.deliver(1)
        for number in ERRORS:
            disk.fail(number)
            with pytest.raises((OSError, KaicepError)) as refused:
                of.deliver(2)
            assert is_transient(refused.value)
        disk.mend()
        of.deliver(2)
        of.deliver(3)
        assert of.left() == undisturbed()
