"""An engine without Spark whose batches call a webhook, as a process: `python -m reliability.calling_engine`.

Begun again it goes on where it was; it ends when every call has been taken.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from kaicep.pipeline.actions import ActionCounts
from kaicep.pipeline.control import ActionAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow import BatchResult
from kaicep.pipeline.flow.rules import FiringOrder, order_columns
from support.living import IN_OFFICES, archive_of, batch, project
from support.receivers import calls_table

__all__ = ["BATCHES", "OF_EACH", "main", "number_of"]

BATCHES, OF_EACH = 24, 3
_PAUSE_S = 0.01


def number_of(call: str) -> int:
    """Of which batch a call is, by its id."""
    return int(call.removeprefix("r-")) // 10


def main(folder: Path, url: str) -> None:
    """Do all batches that are not done, and wait until nothing waits."""
    hook = {"webhook": {"url": url, "batch": 2}, "backoff": "20ms", "timeout": "2s"}
    asked = project(folder, archive=True, actions={"ops": hook})
    archive = archive_of(asked)
    admin = ActionAdmin(asked.settings, print)
    flow = CheckpointedFlow(asked, asked.settings.path("var/state"), (), archive, outbox=admin.calls)
    flow.queries.submit(asked.registrations(IN_OFFICES, "offices"))
    admin.calls.release(flow.done)
    for number in range(flow.done + 1, BATCHES + 1):
        with patch.object(BatchResult, "rows", _calling(number)):
            flow.run(number, batch(number))
        time.sleep(_PAUSE_S)
    while admin.calls.counts().get("ops", ActionCounts()).waiting:
        time.sleep(_PAUSE_S)
    flow.close()
    archive.close()
    admin.close()


def _calling(number: int) -> Any:
    """`BatchResult.rows` of a batch that calls, as rules do."""
    rows = BatchResult.rows

    def found(self: BatchResult) -> Iterator[Any]:
        yield from rows(self)
        if not self.called:
            self.called.append(_called(number))

    return found


def _called(number: int) -> pa.Table:
    table = calls_table([10 * number + place for place in range(OF_EACH)])
    order = FiringOrder(deferred=False, stream=0, row="", priority=1, rule=0, action=0)
    places = pa.chunked_array([[str(place) for place in range(OF_EACH)]])
    for name, column in order_columns(order, places).items():
        table = table.append_column(name, column)
    return table


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
