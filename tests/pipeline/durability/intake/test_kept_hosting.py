"""Who has hosted an engine so far is in its state."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.durability.intake.kept_hosting import hosting_so_far
from kaicep.pipeline.durability.journal.batch_journal import BatchJournal
from kaicep.pipeline.durability.operator_snapshots import OperatorSnapshots
from support.station import project_of


def test_snapshots_tell_it_and_without_any_the_journal(tmp_path: Path) -> None:
    settings = project_of(tmp_path).settings
    state = settings.path(settings.engine.state)
    assert hosting_so_far(settings) is None
    journal = BatchJournal(state / "queries" / "batches.jsonl", settings.root)
    journal.finish(0, {}, durable=True)  # the first batch has begun
    assert hosting_so_far(settings) is None
    journal.finish(1, {}, durable=True)
    assert hosting_so_far(settings) == "driver"
    snapshots = OperatorSnapshots(state / "snapshots")
    snapshots.write(2, {"hosting": b"{}"})
    assert hosting_so_far(settings) == "executors"
    (state / "snapshots" / "000000000003.snapshot").write_bytes(b"torn")
    assert hosting_so_far(settings) == "executors"
    snapshots.write(4, {"query/a": b""})
    assert hosting_so_far(settings) == "driver"
