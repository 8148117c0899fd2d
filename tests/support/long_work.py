"""What other processes are asked to do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from kaicep.errors import PipelineError, Place

__all__ = ["double", "doze", "end", "refuse", "rest"]


def double(tell: Callable[[float], object], number: int) -> dict[str, int]:
    """Tell that half is done, and then the double."""
    tell(0.5)
    return {"double": 2 * number}


def refuse(_: Callable[[float], object]) -> None:
    """Refuse, with a place and a way out."""
    raise PipelineError("it cannot be", place=Place("query", 2, 3, 1, "text"), hint="do without")


def doze(tell: Callable[[float], object]) -> None:
    """Tell that a quarter is done, and then nothing for long."""
    tell(0.25)
    time.sleep(600)


def end(_: Callable[[float], object]) -> None:
    """End the process."""
    os._exit(3)


def rest(_: object, __: Any, seconds: float) -> float:
    """Take long, given a store and settings."""
    time.sleep(seconds)
    return seconds
