"""What is left of a state when events were passed over (docs/semantics.md 3.7)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ...language.nodes import Link
from .pattern_items import Beside, End, Frame, State

__all__ = ["barred", "barred_frame"]


def barred(state: State, link: Link) -> State:
    """What is left of a state when an event was passed over: by one that nothing took `=>` is lost, else `->` too."""
    lost = (Link.STRICT,) if link is Link.STRICT else (Link.STRICT, Link.NEXT)
    return tuple(
        replace(thread, rest=barred_frame(thread.rest, link))
        for thread in state
        if thread.variable is not None and thread.link not in lost
    )


@lru_cache(maxsize=4096)
def barred_frame(rest: Frame, link: Link) -> Frame:
    """The same for the sides of an AND that have begun; one that has not counts from the last event of the AND."""
    if isinstance(rest, End):
        return rest
    if not isinstance(rest, Beside):
        return replace(rest, rest=barred_frame(rest.rest, link))
    sides = tuple(
        _kept_open(side, link) if begun and i != rest.own else side
        for i, (side, begun) in enumerate(zip(rest.sides, rest.begun, strict=True))
    )
    return replace(rest, inner=barred_frame(rest.inner, link), sides=sides, rest=barred_frame(rest.rest, link))


def _kept_open(side: State, link: Link) -> State:
    return (*barred(side, link), *(thread for thread in side if thread.variable is None))
