"""Two checked queries go in; whether the state of one holds that of the other comes out, with the reason."""

from __future__ import annotations

from .conditions import Facts
from .exact_cover import takes_what_there_is
from .query_cover import Cover, NoCover, cover_of
from .renaming import Renaming

__all__ = ["Cover", "Facts", "NoCover", "Renaming", "cover_of", "takes_what_there_is"]
