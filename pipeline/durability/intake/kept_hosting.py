"""Who has hosted the batches of an engine so far, as its state says."""

from __future__ import annotations

import zipfile
from typing import Literal

from ....config import Settings
from ..flow_state import HOSTING
from ..journal import BatchJournal

__all__ = ["hosting_so_far"]


def hosting_so_far(settings: Settings) -> Literal["driver", "executors"] | None:
    """Who has done the last batch of a project's engine; `None`: none is done."""
    state = settings.path(settings.engine.state)
    for path in sorted((state / "snapshots").glob("*.snapshot"), reverse=True):
        try:
            with zipfile.ZipFile(path) as archive:
                return "executors" if HOSTING in archive.namelist() else "driver"
        except (OSError, zipfile.BadZipFile):
            continue  # whoever goes on from it tells that
    done, _ = BatchJournal(state / "queries" / "batches.jsonl", settings.root).delivered() or (0, {})
    return "driver" if done else None
