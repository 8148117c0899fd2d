"""A document's text goes in; its syntax tree comes out, every node with its place, or a syntax error.

`scanner` masks what a grammar cannot read (comments, PATH bodies), `grammar.lark` reads the rest, `tree_builder` and
`expression_builder` make nodes of it: a method per rule. `syntax_errors` reads off the grammar what was expected.
"""

from __future__ import annotations

from .expression_builder import prefixed
from .parser import parse_document, reserved_words

__all__ = ["parse_document", "prefixed", "reserved_words"]
