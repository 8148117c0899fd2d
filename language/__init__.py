"""χ-CEP text and a vocabulary go in; checked, typed queries come out, or an error with its place and the way out."""

from __future__ import annotations

from .literals import duration_text, moment_text, parse_duration, parse_moment
from .name_lookup import Names
from .source_text import SourceText, Span
from .syntax_tree import Prefix

__all__ = ["Names", "Prefix", "SourceText", "Span", "duration_text", "moment_text", "parse_duration", "parse_moment"]
