"""Recorded raw tuples, given as Python dictionaries or as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from .records import table_of_dicts

RawTuples: TypeAlias = pa.Table | Sequence[Mapping[str, object]]


def raw_table(tuples: RawTuples) -> pa.Table:
    """Columns of raw tuples, as a source would give them that reads the same from JSON."""
    return tuples if isinstance(tuples, pa.Table) else table_of_dicts(tuples)
