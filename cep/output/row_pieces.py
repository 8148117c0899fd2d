"""Rows put together to pieces: few enough to be held, many enough to be worth taking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

__all__ = ["ROWS_AT_ONCE", "in_pieces"]

ROWS_AT_ONCE = 2**17
"""So many rows are made at once, and are a piece."""


def in_pieces(tables: Iterable[pa.Table], size: int) -> Iterator[pa.Table]:
    """The same rows in pieces of at least so many, the last one apart; where there are none, nothing."""
    held: list[pa.Table] = []
    for table in tables:
        held += [table] if table.num_rows else []
        if sum(part.num_rows for part in held) >= size:
            yield pa.concat_tables(held)
            held = []
    if held:
        yield pa.concat_tables(held)
