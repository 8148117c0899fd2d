"""An engine without Spark whose rules call a webhook, as a process: `python -m reliability.calling_engine`.

Begun again it goes on where it was; it ends when every call has been taken.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kaicep.pipeline.actions import ActionCounts
from kaicep.pipeline.control import ActionAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from support.living import archive_of, batch, project

__all__ = ["BATCHES", "EXPECTED", "batch_of", "main"]

BATCHES = 24
_RULES = """CREATE QUERY pairs AS SELECT ?a.sensor AS sensor, ?b.sensor AS next FROM (?a, air), (?b, air)
  SEQ (?a, ?b) WINDOW (?a, ?b, 1ms);
CREATE RULE heard ON air IF (?row.sensor != 'none')
  DO CALL ops(?row.sensor AS sensor), EMIT note(?row.sensor AS sensor) PRIORITY 1;
CREATE RULE noted ON note IF (?row.sensor = 's1') DO CALL ops(?row.sensor AS sensor), CALL ops('again' AS sensor);
CREATE RULE paired ON pairs IF (?row.next != 'none') DO CALL ops(?row.next AS sensor) DEFERRED"""
"""For a stream, for what another rule emits (two calls for a row), and for the rows of a pattern over two events."""
EXPECTED: Mapping[str, tuple[str, ...]] = {
    "heard": ("s1", "s2", "s3"),
    "noted": ("s1", "again"),
    "paired": ("s2", "s3"),
}
"""What each of them says in each batch, in order."""
_PAUSE_S = 0.01


def batch_of(call: Mapping[str, Any]) -> int:
    """Of which batch a call is, by its time."""
    return int(str(call["_time"])[17:19])


def main(folder: Path, url: str) -> None:
    """Do all batches that are not done, and wait until nothing waits."""
    hook = {"webhook": {"url": url, "batch": 2}, "backoff": "20ms", "timeout": "2s"}
    asked = project(folder, archive=True, actions={"ops": hook})
    archive = archive_of(asked)
    admin = ActionAdmin(asked.settings, print)
    flow = CheckpointedFlow(asked, asked.settings.path("var/state"), (), archive, outbox=admin.calls)
    flow.queries.submit(asked.registrations(_RULES, "rules"))
    admin.calls.release(flow.done)
    for number in range(flow.done + 1, BATCHES + 1):
        flow.run(number, batch(number))
        time.sleep(_PAUSE_S)
    while admin.calls.counts().get("ops", ActionCounts()).waiting:
        time.sleep(_PAUSE_S)
    flow.close()
    archive.close()
    admin.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
