"""A registered query on the driver, which is told what it waits for, and whether it has ended."""

from __future__ import annotations

from datetime import datetime

from ..flow import QueryRuntime
from ..sharding import QueryTold

__all__ = ["ToldQuery"]


class ToldQuery(QueryRuntime):
    """One whose state is in the shards.

    Attributes:
        told: what these say after the last batch; `None`: nothing yet.
    """

    told: QueryTold | None = None

    def tell(self, told: QueryTold) -> None:
        """Know what shards say."""
        self.told = told
        self.pass_to(told.watermark)

    def row_watermark(self, watermark: datetime | None) -> datetime | None:
        """See `QueryRuntime.row_watermark`: shards hold rows back."""
        held = None if self.told is None else self.told.held
        return watermark if held is None or watermark is None else min(watermark, held)

    @property
    def due(self) -> datetime | None:
        """The next watermark that may bring further rows without a further event; `None`: none will."""
        return None if self.ended or self.told is None else self.told.due

    @property
    def ending(self) -> str | None:
        """Why no further row can come, in words; `None`: one can."""
        if self.failure is not None:
            return str(self.failure)
        return None if self.told is None else self.told.ending
