"""Where a checkpoint begins to read topics: decided once, and noted durably before anything is read.

Spark asks for it again as long as no batch is done. Were the answer another one then, such as a later `latest`, the
batch that it has planned would lose what lies between.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...storage import make_folder, write_atomically
from .offset_ranges import Offsets

if TYPE_CHECKING:
    from .topic_offsets import TopicOffsets

__all__ = ["noted_start", "starting_offsets"]


def starting_offsets(note: Path, read: Offsets, starting: str, topics: TopicOffsets) -> Offsets:
    """Where to begin.

    Args:
        note: the file of what was decided.
        read: up to where topics were read before this checkpoint; of their partitions those that it does not name are
            read from their beginning.
        starting: where the other topics begin: `earliest`, `latest`, or a time.
        topics: asks the brokers.

    Raises:
        OSError: the brokers do not answer, or the note cannot be written.
        ValueError: they refuse to.
    """
    noted = noted_start(note)
    if noted is not None:
        return noted
    earliest = topics.earliest()
    begun = {topic: {**earliest[topic], **read[topic]} for topic in earliest if topic in read}
    fresh = [topic for topic in earliest if topic not in read]
    if fresh and starting != "earliest":
        found = topics.latest() if starting == "latest" else topics.at(datetime.fromisoformat(starting))
        earliest = {**earliest, **found}
    decided = {**{topic: dict(earliest[topic]) for topic in fresh}, **begun}
    make_folder(note.parent)
    with write_atomically(note) as temporary:
        temporary.write_text(json.dumps(decided), encoding="utf-8")
    return decided


def noted_start(note: Path) -> Offsets | None:
    """What was decided; `None`: nothing was yet."""
    try:
        found: Offsets = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found
