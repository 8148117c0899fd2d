"""From a document's text to its syntax tree."""

from __future__ import annotations

from typing import cast

from lark import UnexpectedInput
from lark.exceptions import VisitError

from ...errors import KaicepError, QuerySyntaxError
from .. import syntax_tree as syntax
from ..source_text import SourceText, Span
from .parsing_tables import grammar_parser
from .scanner import mask
from .syntax_errors import keywords, unexpected
from .tree_builder import Builder

_LONGEST = 100_000
Document = tuple[syntax.DocumentPart, ...]
"""Prefixes and statements in order."""


def parse_document(text: str, source: str = "query") -> Document:
    """Read a χ-CEP document; no name is looked up, and PATH bodies are not read.

    Args:
        text: prefixes and statements.
        source: what messages call the text, such as its file name.

    Raises:
        QuerySyntaxError: the text is no χ-CEP.

    Source: docs/semantics.md 2; SCEPter §3.2.
    """
    where = SourceText(source, text)
    if len(text) > _LONGEST:
        message = f"a document has at most {_LONGEST:,} characters"
        hint = "split it; queries may read each other's output"
        raise where.syntax_error(Span(_LONGEST, _LONGEST + 1), message, hint)
    try:
        return cast("Document", Builder(where).transform(grammar_parser().parse(mask(where))))
    except UnexpectedInput as error:
        raise unexpected(where, error, grammar_parser()) from error
    except VisitError as error:
        if isinstance(error.orig_exc, KaicepError):
            raise error.orig_exc from error
        if isinstance(error.orig_exc, RecursionError):
            raise _too_deep(where) from error
        raise
    except RecursionError as error:
        raise _too_deep(where) from error


def _too_deep(where: SourceText) -> QuerySyntaxError:
    return where.syntax_error(
        Span(0, 1),
        "an expression is too long",
        "write `x IN (…)`, or give parts of it names: CREATE QUERY parts AS SELECT …",
    )


def reserved_words() -> frozenset[str]:
    """The words of the language, in upper case, for editors."""
    return keywords(grammar_parser())
