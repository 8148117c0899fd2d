"""Rows of queries compared with those that were computed another way."""

from __future__ import annotations

from typing import Any

import pytest

__all__ = ["Row", "in_order", "roughly"]

Row = dict[str, Any]


def in_order(rows: list[Row]) -> list[Row]:
    """By what is exact: IRIs, ids, times."""
    return sorted(rows, key=lambda row: [str(row[name]) for name in sorted(row) if not isinstance(row[name], float)])


def roughly(row: Row) -> Row:
    """Numbers up to the rounding of sums in another order; all else exact."""
    return {name: pytest.approx(x, rel=1e-9) if isinstance(x, float) else x for name, x in row.items()}
