"""The triples of a document that was read before: it is read again when somebody asks for more than their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import overload

from pyoxigraph import Triple

__all__ = ["UnreadTriples"]


class UnreadTriples(Sequence[Triple]):
    """A sequence whose elements are read at first use, once.

    Args:
        count: how many there are.
        read: reads them.
    """

    def __init__(self, count: int, read: Callable[[], Sequence[Triple]]) -> None:
        self._count = count
        self._read = read

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Triple: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Triple]: ...

    def __getitem__(self, index: int | slice) -> Triple | Sequence[Triple]:
        return self._triples[index]

    @cached_property
    def _triples(self) -> tuple[Triple, ...]:
        return tuple(self._read())
