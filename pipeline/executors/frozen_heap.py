"""What a Python worker keeps for all of its tasks is not looked through for garbage behind each of them.

Spark's worker does that, `gc.collect()` in `pyspark.daemon`, and knowledge and compiled queries are some hundred
thousand objects that stay: a tenth of a second of the processor for each task (docs/decisions/287).
"""

from __future__ import annotations

import gc

__all__ = ["leave_to_stay"]

_STAYS: set[tuple[str, str]] = set()


def leave_to_stay(plan: str, part: str) -> None:
    """Take what is there from what is looked through, when the first task of a kind is done; before, look once.

    Args:
        plan: the key of what was compiled: with another one, what is no more of use is found once.
        part: what kind of task it was.
    """
    if (plan, part) in _STAYS:
        return
    if all(plan != known for known, _ in _STAYS):
        gc.unfreeze()
        _STAYS.clear()
    _STAYS.add((plan, part))
    gc.collect()
    gc.freeze()
