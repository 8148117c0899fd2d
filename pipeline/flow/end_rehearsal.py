"""What the end of the streams would bring now, tried on a copy of a data flow."""

from __future__ import annotations

from .batch import Batch
from .dataflow import Dataflow

__all__ = ["rows_at_end"]


def rows_at_end(dataflow: Dataflow) -> dict[str, int]:
    """By query label, how many rows the end of the streams would bring now; the data flow stays as it is.

    This takes as long as the end itself, where a query waits at all.
    """
    if not dataflow.due:
        return {}
    answered = [label for label in dataflow.flows if label not in dataflow.suspended]
    copy = dataflow.rehearsal(answered)
    for label, flow in copy.flows.items():
        if label not in dataflow.suspended:
            flow.restore(dataflow.flows[label].snapshot())
    matches = copy.process(Batch(ends=True)).matches
    return {label: matches[label].num_rows for label in answered if matches[label].num_rows}
