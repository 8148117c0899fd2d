"""The matches of a batch, found in pieces that can be held, by the events that they end with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import polars as pl

from ..errors import CeilingError
from ..expressions import pieces_of
from ..language.nodes import Kind, Query
from .joins import PatternKernel
from .operator_core import Kernel
from .output import MatchFrame

__all__ = ["found_in_pieces"]

_PARTS = 8
"""Into so many parts the events of a batch are cut that have too many matches at once."""

_EVENTS = 2**13
"""So many events go through an automaton together."""

_Found = Iterator[tuple[MatchFrame | None, int]]
_Released = Mapping[str, pl.DataFrame]


def found_in_pieces(
    query: Query, kernel: Kernel, released: _Released, watermark: int, over: Callable[[], bool], *, chooses: bool
) -> _Found:
    """The matches that become true, and the watermark that each piece is found by.

    A batch that is cut more finely has the same matches.

    What all events have together may be more than is to be held, or, where AFTER MATCH and LIMIT choose, more than is
    ever reported.

    Args:
        query: what is answered.
        kernel: finds them.
        released: see `Kernel.advance`.
        watermark: see `Kernel.advance`.
        over: whether no more are asked for.
        chooses: whether later matches may depend on those that are reported before.

    Raises:
        CeilingError: one moment has more of them than the query's ceilings allow.
    """
    if isinstance(kernel, PatternKernel):
        yield from _joined(kernel, released, watermark, over, chooses=chooses)
        return
    if query.kind is not Kind.PATTERN or _height(released) <= _EVENTS:
        yield kernel.advance(released, watermark), watermark
        return
    for piece, until in pieces_of(released, watermark, _EVENTS):
        if not over():
            yield kernel.advance(piece, until), until


def _joined(
    kernel: PatternKernel, released: _Released, watermark: int, over: Callable[[], bool], *, chooses: bool
) -> _Found:
    """Joins are tried with all events at once, then with parts of them."""
    if over():
        return
    if not ((chooses or kernel.divisible) and kernel.may_exceed(released)):
        yield kernel.advance(released, watermark), watermark
        return
    rewind = kernel.mark()
    try:
        found = kernel.advance(released, watermark, at_once=True)
    except CeilingError:
        rewind()
    else:
        yield found, watermark
        return
    parts = list(pieces_of(released, watermark, -(-_height(released) // _PARTS)))
    if sum(_height(piece) > 0 for piece, _ in parts) < 2:
        yield kernel.advance(released, watermark), watermark
        return
    for piece, until in parts:
        yield from _joined(kernel, piece, until, over, chooses=chooses)


def _height(released: _Released) -> int:
    return sum(frame.height for frame in released.values())
