"""How far a piece of work is, for whoever waits for it: by name, and where it is known, which share of that is done."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["SETTLED", "Telling", "untold"]

Telling = Callable[[str, float], object]
"""Hears which stage work is at, as it begins and goes on, and which share of it is done, from 0 to 1.

A stage of which nobody knows how long it takes is told once, or several times with the same. What it raises ends the
work. The knowledge of a project has the stages `parsing`, `reasoning` (which tells nothing on the way),
`contradictions`, `keeping` (files of the closure are written), `comparing` (queries with before), and `writing`.
"""
SETTLED = "writing"
"""The stage from which on work is finished, whatever happens."""


def untold(stage: str, share: float) -> None:
    """Tell nobody."""
