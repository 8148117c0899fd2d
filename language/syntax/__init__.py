"""A document's text goes in; its syntax tree comes out, every node with its place, or a syntax error."""

from __future__ import annotations

from .expression_builder import prefixed
from .literals import parse_double, parse_duration, parse_integer, parse_moment, parse_xsd_duration, unquote
from .parser import parse_document

__all__ = [
    "parse_document",
    "parse_double",
    "parse_duration",
    "parse_integer",
    "parse_moment",
    "parse_xsd_duration",
    "prefixed",
    "unquote",
]
