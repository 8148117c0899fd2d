"""Which kernel answers a query of which kind."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..language.nodes import Kind, Query
from .joins import (
    LoosePatternKernel,
    PartialMatchJoin,
    PatternKernel,
    SharedPatternKernel,
    pattern_parts,
    vectorisable,
)
from .limits import Limits
from .operator_core import Kernel
from .order import Interval
from .partitions import PartitionWindows, is_loose, is_shared
from .selection import SelectionKernel
from .windows import AggregationKernel

__all__ = ["build_kernel", "stop_candidates"]


def build_kernel(
    query: Query,
    within: Interval,
    limits: Limits,
    windows: PartitionWindows | None = None,
    *,
    watched: bool = False,
) -> Kernel:
    """The kernel of a settled query; errors as of `build_operator`.

    Args:
        query: the query; in contexts, partitioned by their windows.
        within: see `build_operator`.
        limits: see `build_operator`.
        windows: of a query in contexts, what is known of their windows.
        watched: whether its state is asked for, which joins find, or automata hold; in a mode it is what waits.
    """
    match query.kind:
        case Kind.SELECTION:
            return SelectionKernel(query)
        case Kind.AGGREGATION:
            return AggregationKernel(query, limits, within, windows)
        case Kind.PATTERN if query.after_match.is_mode or (not watched and vectorisable(query)):
            if windows is not None and is_shared(query):
                return SharedPatternKernel(query, within, limits, windows)
            if windows is None and is_loose(query):
                return LoosePatternKernel(query, within, limits)
            return PatternKernel(query, within, limits, windows, watched=watched)
        case Kind.PATTERN if watched and (parts := pattern_parts(query)) is not None:
            return PartialMatchJoin(query, parts, limits)
        case Kind.PATTERN:
            from .nfa import NfaOperator  # noqa: PLC0415 - most queries need no automaton

            return NfaOperator(query, within, limits, windows, watched=watched)


def stop_candidates(query: Query) -> Mapping[str, pl.DataFrame]:
    """No candidates, by the name of what a query's UNTIL is given beside those of its variables."""
    if vectorisable(query):
        return {}
    from . import nfa  # noqa: PLC0415 - likewise

    return nfa.stop_candidates(query)
