"""Recorded raw tuples, given as Python dictionaries or as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from ...errors import PipelineError
from .records import table_of_dicts

RawTuples: TypeAlias = pa.Table | Sequence[Mapping[str, object]]


def raw_table(tuples: RawTuples) -> pa.Table:
    """Columns of raw tuples, as a source would give them that reads the same from JSON.

    Raises:
        PipelineError: they are neither a table nor dictionaries.
    """
    if isinstance(tuples, pa.Table):
        return tuples
    odd = [row for row in tuples if not isinstance(row, Mapping)] if isinstance(tuples, Sequence) else [tuples]
    if odd:
        raise PipelineError(f"{odd[0]!r} is no raw tuple", hint="give a list of dictionaries, or a pyarrow.Table")
    return table_of_dicts(tuples)
