"""Records as a source's files hold them → records that are one reading each: wide tables, a file for each sensor."""

from __future__ import annotations

from .file_name_column import file_stem, with_file_names
from .record_layout import reshape, reshape_table
from .unpivot import unpivot_table

__all__ = ["file_stem", "reshape", "reshape_table", "unpivot_table", "with_file_names"]
