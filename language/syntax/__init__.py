"""A document's text goes in; its syntax tree comes out, every node with its place, or a syntax error."""

from __future__ import annotations

from .expression_builder import prefixed
from .free_variables import event_names
from .literals import parse_double, parse_integer, parse_moment, parse_xsd_duration, unquote
from .parser import parse_document
from .text import SourceText, listed
from .tree import Prefix

__all__ = [
    "Prefix",
    "SourceText",
    "event_names",
    "listed",
    "parse_document",
    "parse_double",
    "parse_integer",
    "parse_moment",
    "parse_xsd_duration",
    "prefixed",
    "unquote",
]
