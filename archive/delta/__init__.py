"""An archive's log in; its streams as tables of Delta Lake, which others read, out, a little behind it."""

from __future__ import annotations

from .delta_copy import DeltaCopy
from .delta_table import DeltaPlace
from .delta_writer import DeltaLag, DeltaWriter

__all__ = ["DeltaCopy", "DeltaLag", "DeltaPlace", "DeltaWriter"]
