"""What of recorded tuples is no event: told to whoever evaluates them, for rows that are missing have a reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from ...annotator import AnnotatedBatch
from ..sources import RawBatch

__all__ = ["warn_of_unusable_records"]

_SHOWN = 3
# Of Project.evaluate's caller: who evaluates is told in his own line.
_CALLER = 5


def warn_of_unusable_records(stream: str, batches: Sequence[RawBatch], annotated: AnnotatedBatch) -> None:
    """Warn of the records of a stream that are no events: how many, and the first few with place and reason.

    Args:
        stream: its name.
        batches: as they were read, one after the other.
        annotated: all of their tuples.
    """
    malformed = sum(len(batch.malformed) for batch in batches)
    unusable = malformed + annotated.rejected.num_rows
    if not unusable:
        return
    total = malformed + sum(batch.table.num_rows for batch in batches)
    shown = [reason for reason, _ in zip(_reasons(batches, annotated), range(_SHOWN), strict=False)]
    more = f"; and {unusable - _SHOWN:,} more" if unusable > _SHOWN else ""
    warnings.warn(
        f"{unusable:,} of {total:,} records of stream {stream} are no events: {'; '.join(shown)}{more}",
        UserWarning,
        stacklevel=_CALLER,
    )


def _reasons(batches: Sequence[RawBatch], annotated: AnnotatedBatch) -> Iterator[str]:
    for batch in batches:
        yield from (f"{one.place}: {one.reason}" for one in batch.malformed)
    starts = [0]
    for batch in batches:
        starts.append(starts[-1] + batch.table.num_rows)
    for refused in annotated.rejected.slice(0, _SHOWN).to_pylist():
        number = max(n for n, start in enumerate(starts[:-1]) if start <= refused["row"])
        yield f"{batches[number].place(refused['row'] - starts[number])}: {refused['reason']}"
