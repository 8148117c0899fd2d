"""A syntax tree and a vocabulary in; checked, typed queries, or what is wrong with its place, out."""

from __future__ import annotations

from .compiler import compile_document

__all__ = ["compile_document"]
