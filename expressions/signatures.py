"""What the checker is told of all functions and aggregates."""

from __future__ import annotations

from ..language.nodes import Functions
from .aggregates import AGGREGATES, CHANGES
from .functions import WRITTEN_FUNCTIONS

__all__ = ["SIGNATURES"]

SIGNATURES: Functions = {
    **{function.name: function.signature for function in WRITTEN_FUNCTIONS},
    **{aggregate.name: aggregate.signature for aggregate in AGGREGATES.values()},
    **{change.name: change.signature for change in CHANGES},
}
"""By upper-case name."""
