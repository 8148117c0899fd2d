"""What other processes are asked to do."""

from __future__ import annotations

import os
import time
from typing import Any

from kaicep.errors import PipelineError, Place
from kaicep.storage import Telling

__all__ = ["double", "doze", "end", "refuse", "rest"]


def double(told: Telling, number: int) -> dict[str, int]:
    """Tell that half is done, and then the double."""
    told("doubling", 0.5)
    return {"double": 2 * number}


def refuse(_: Telling) -> None:
    """Refuse, with a place and a way out."""
    raise PipelineError("it cannot be", place=Place("query", 2, 3, 1, "text"), hint="do without")


def doze(told: Telling) -> None:
    """Tell that a quarter is done, and then nothing for long."""
    told("dozing", 0.25)
    time.sleep(600)


def end(_: Telling) -> None:
    """End the process."""
    os._exit(3)


def rest(_: object, __: Any, seconds: float) -> float:
    """Take long, given a store and settings."""
    time.sleep(seconds)
    return seconds
