"""The state after a batch as a file: when it is written, beside what, and how it is found again."""

from __future__ import annotations

from .later_snapshot import LaterSnapshot
from .operator_snapshots import OperatorSnapshots
from .snapshot_interval import SnapshotDue, SnapshotInterval

__all__ = ["LaterSnapshot", "OperatorSnapshots", "SnapshotDue", "SnapshotInterval"]
