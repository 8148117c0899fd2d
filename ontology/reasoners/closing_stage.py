"""How far the closing of modules is: by name, and where it is known, which share of that is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

ClosingStage = Literal["reasoning", "contradictions", "keeping"]
"""What follows is derived, which tells nothing on the way; what contradicts itself is looked for; files are written."""
Telling = Callable[[str, float], object]
"""Hears which stage work is at, and which share of it is done, from 0 to 1; what it raises ends the work.

May be called from time to time with the same.
"""


def untold(stage: str, share: float) -> None:
    """Tell nobody."""
