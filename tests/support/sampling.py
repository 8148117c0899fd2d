"""Parameters of which the usual run tries some, and the long run all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["some_of"]


def some_of(values: Iterable[Any], count: int) -> list[Any]:
    """The parameters: of one value each, so many of the usual run, spread over all, and the others long.

    Args:
        values: single values, or tuples of those of several names.
        count: how many the usual run tries.
    """
    every = list(values)
    usual = {place * len(every) // count for place in range(count)}
    return [_param(value) if place in usual else _param(value, pytest.mark.long) for place, value in enumerate(every)]


def _param(value: Any, *marks: pytest.MarkDecorator) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks)
