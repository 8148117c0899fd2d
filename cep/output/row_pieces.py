"""Rows put together to pieces: few enough to be held, many enough to be worth taking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

__all__ = ["in_pieces"]

ROWS_AT_ONCE = 2**17
"""So many rows are made at once, and are a piece."""


def in_pieces(tables: Iterable[pa.Table], size: int | None = None) -> Iterator[pa.Table]:
    """The same rows in pieces, the last one apart; where there are none, nothing.

    Args:
        tables: the rows.
        size: a piece has so many at least; `None`: `ROWS_AT_ONCE`.
    """
    enough = ROWS_AT_ONCE if size is None else size
    held: list[pa.Table] = []
    for table in tables:
        held += [table] if table.num_rows else []
        if sum(part.num_rows for part in held) >= enough:
            yield pa.concat_tables(held)
            held = []
    if held:
        yield pa.concat_tables(held)
