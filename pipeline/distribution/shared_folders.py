"""Whether executors reach what an engine's batches are made of; asked before the first of them (docs/decisions/323)."""

from __future__ import annotations

from collections.abc import Sequence
from socket import gethostname

from ...errors import PipelineError
from ...storage import SharedFolder, StoragePath
from ..sharding import HostedQueries

__all__ = ["reach_part"]


def reach_part(queries: HostedQueries, paths: Sequence[StoragePath], folder: SharedFolder, name: str) -> None:
    """Look for folders where a task runs; that it runs says that versions are alike.

    Args:
        queries: compiled; nothing is asked of them.
        paths: the folders.
        folder: which the plan was read from: it is reached.
        name: of nothing that is written.

    Raises:
        PipelineError: one is not there.
    """
    del queries, folder, name
    for path in paths:
        if not path.exists():
            raise PipelineError(
                f"the executor on {gethostname()} does not reach {path}",
                hint='name a folder that all machines share, or set hosting = "driver" under [engine]',
            )
