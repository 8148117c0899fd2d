"""Which strategy answers the past of a query."""

from __future__ import annotations

from dataclasses import dataclass

from ..archive import Archive
from ..archive.rewriting import RefusedError
from ..errors import PlanError
from .past import ROWS_AT_ONCE, Asked
from .strategies import Hybrid, Replay, Strategy


@dataclass(frozen=True)
class Choice:
    """A strategy and why it was chosen."""

    strategy: Strategy
    reason: str
    answer: Replay | Hybrid


def choose(archive: Archive, asked: Asked, strategy: Strategy | None = None, rows: int = ROWS_AT_ONCE) -> Choice:
    """Choose how the past is answered.

    Args:
        archive: what is asked.
        asked: what for.
        strategy: the one to use; `None`: the cheapest.
        rows: how many events of the log are read at once, about.

    Raises:
        PlanError: the strategy that is asked for cannot answer the query.
    """
    if strategy is Strategy.HYBRID:
        try:
            return Choice(Strategy.HYBRID, "asked for", Hybrid.of(archive, asked))
        except RefusedError as reason:
            raise PlanError(f"strategy 'hybrid' cannot answer this query: {reason}", hint="replay can") from reason
    return Choice(Strategy.REPLAY, "asked for", Replay(archive, asked, rows))
