"""Which queries tasks cannot answer when they come after the first batch; each is refused with the way out."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import PipelineError
from ..flow import Registration

__all__ = ["DRIVER", "refuse_joining"]

DRIVER = 'set hosting = "driver" under [engine]'


def refuse_joining(registrations: Sequence[Registration], scattered: Sequence[str]) -> None:
    """Refuse queries that are answered with others whose states lie in shards, and that no log makes anew.

    Args:
        registrations: the queries.
        scattered: the labels of the others.

    Raises:
        PipelineError: there are such.
    """
    if registrations and scattered:
        raise PipelineError(
            f"'{registrations[-1].label}' reads or decides what '{scattered[0]}' gives, which is answered in shards "
            "since before, and there is no archive to bring these together from",
            hint=f"register the two together, before the first batch, set archive.enabled, or {DRIVER}",
        )
