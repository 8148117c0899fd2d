"""Raw columns that nobody has declared in; what they are for, how they are written, and whom their ids name out.

Guesses have their place here, where a person sees the result: the first project file, and `try` without one. What runs
reads by what is stated.
"""

from __future__ import annotations

from .column_roles import ColumnRoles, recognise_columns
from .id_matching import IdMatch, match_ids
from .time_recognition import TimeGuess, recognise_time, unlike_stated
from .value_types import recognise_type

__all__ = [
    "ColumnRoles",
    "IdMatch",
    "TimeGuess",
    "match_ids",
    "recognise_columns",
    "recognise_time",
    "recognise_type",
    "unlike_stated",
]
