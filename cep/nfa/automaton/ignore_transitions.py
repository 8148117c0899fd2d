"""What is left of a state when events were passed over (docs/semantics.md 3.7)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ....language.nodes import Link
from .pattern_items import Continuation, InterleavedRest, ItemSet, PatternEnd

__all__ = ["after_ignoring", "left_after_ignoring"]


def after_ignoring(state: ItemSet, link: Link) -> ItemSet:
    """What is left of a state when an event was passed over: by one that nothing took `=>` is lost, else `->` too."""
    lost = (Link.STRICT,) if link is Link.STRICT else (Link.STRICT, Link.NEXT)
    return tuple(
        replace(thread, rest=left_after_ignoring(thread.rest, link))
        for thread in state
        if thread.variable is not None and thread.link not in lost
    )


@lru_cache(maxsize=4096)
def left_after_ignoring(rest: Continuation, link: Link) -> Continuation:
    """The same for the sides of an AND that have begun; one that has not counts from the last event of the AND."""
    if isinstance(rest, PatternEnd):
        return rest
    if not isinstance(rest, InterleavedRest):
        return replace(rest, rest=left_after_ignoring(rest.rest, link))
    sides = tuple(
        _kept_open(side, link) if begun and i != rest.own else side
        for i, (side, begun) in enumerate(zip(rest.sides, rest.begun, strict=True))
    )
    return replace(
        rest,
        inner=left_after_ignoring(rest.inner, link),
        sides=sides,
        rest=left_after_ignoring(rest.rest, link),
    )


def _kept_open(side: ItemSet, link: Link) -> ItemSet:
    return (*after_ignoring(side, link), *(thread for thread in side if thread.variable is None))
