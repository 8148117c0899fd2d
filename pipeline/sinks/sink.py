"""Where matches go. A batch that Spark delivers again leaves a sink as if it had come once.

The engine writes the matches of a batch, flushes, and then makes its snapshot durable, of which the sinks' snapshots
are a part: what a snapshot says is written, is. It takes the first snapshot before the first batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from ...errors import PipelineError

__all__ = ["Sink", "unwritable"]


class Sink(Protocol):
    """Takes the matches of one batch after the other, in order of their numbers."""

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Take the matches of one query in one batch; the same batch again must change nothing."""

    def flush(self) -> None:
        """Make durable what was written; by default nothing waits."""
        return

    def snapshot(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON values: everything written so far belongs to it; by default nothing."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a snapshot, what was written after it will come again; by default there is nothing to do."""
        del state


def unwritable(path: Path, error: OSError) -> PipelineError:
    """The error of a place that refuses matches."""
    return PipelineError(f"cannot write matches to {path}: {error.strerror}", hint="name a place that can be written")
