"""Functions of strings. Source: SPARQL 1.1 §17.4.3, XPath functions 3.1 §5."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from ...language.nodes import Call, Constant, Expression, Fault, Signature, UnitRule, ValueType, Wanted
from ..column_types import text
from ..refusal import RefusedError
from ..terms import lexical_of
from .regular_expressions import fault_of, rust_regex
from .scalar_function import BY_COLUMN, Columns, ScalarFunction, refused, same_in_sparql

__all__ = ["CONCAT", "CONTAINS", "LCASE", "REGEX", "STR", "STRENDS", "STRLEN", "STRSTARTS", "UCASE"]


_STRING: Wanted = "a string"


def _of_text(usage: str, doc: str, result: ValueType, apply: Callable[..., pl.Expr]) -> ScalarFunction:
    """A function of strings alone."""
    name, _, parameters = usage.rstrip(")").partition("(")

    def column(e: Call, columns: Columns) -> pl.Expr:
        return apply(*(text(x, argument.type) for x, argument in zip(columns, e.arguments, strict=True)))

    signature = Signature(
        (_STRING,) * (parameters.count(",") + 1), 0, repeated=False, result=result, unit=UnitRule.NONE, check=None
    )
    return ScalarFunction(name, usage, doc, signature, column, BY_COLUMN, same_in_sparql)


LCASE = _of_text("LCASE(s)", "the string in lower case", ValueType.STRING, lambda s: s.str.to_lowercase())
UCASE = _of_text("UCASE(s)", "the string in upper case", ValueType.STRING, lambda s: s.str.to_uppercase())
STRLEN = _of_text(
    "STRLEN(s)", "how many characters it has", ValueType.INTEGER, lambda s: s.str.len_chars().cast(pl.Int64)
)
CONTAINS = _of_text(
    "CONTAINS(s, part)",
    "whether a string holds another",
    ValueType.BOOLEAN,
    lambda s, part: s.str.contains(part, literal=True),
)
STRSTARTS = _of_text(
    "STRSTARTS(s, start)", "whether it begins so", ValueType.BOOLEAN, lambda s, start: s.str.starts_with(start)
)
STRENDS = _of_text("STRENDS(s, end)", "whether it ends so", ValueType.BOOLEAN, lambda s, end: s.str.ends_with(end))


def _regex(e: Call, columns: Columns) -> pl.Expr:
    pattern, *flags = (str(a.value) for a in e.arguments[1:] if isinstance(a, Constant))
    return text(columns[0], e.arguments[0].type).str.contains(rust_regex(pattern, "".join(flags)), strict=False)


def _regex_fault(arguments: Sequence[Expression]) -> Fault | None:
    texts = [str(a.value) for a in arguments[1:] if isinstance(a, Constant)]
    if len(texts) < len(arguments) - 1:
        return Fault(None, "REGEX needs its pattern as text", 'write it in quotes: REGEX (…, "^D1")')
    fault = fault_of(texts[0], "".join(texts[1:]))
    if fault is None:
        return None
    hint = "patterns are those of Rust's regex; the flags are i, m, s, x, and q for plain text"
    return Fault(1, f"this is no regular expression: {fault}", hint)


REGEX = ScalarFunction(
    "REGEX",
    "REGEX(s, 'pattern', 'flags')",
    "whether a regular expression of Rust fits somewhere; flags may be left out",
    Signature(("a string",) * 3, 1, repeated=False, result=ValueType.BOOLEAN, unit=UnitRule.NONE, check=_regex_fault),
    _regex,
    BY_COLUMN,
    refused("the function REGEX differs between engines of SPARQL"),
)


def _str(e: Call, columns: Columns) -> pl.Expr:
    return lexical_of(columns[0], e.arguments[0].type)


def _str_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    if e.arguments[0].type not in (ValueType.STRING, ValueType.IRI):
        raise RefusedError("STR of a number or a moment gives the text that the archive keeps")
    return same_in_sparql(e, arguments)


STR = ScalarFunction(
    "STR",
    "STR(x)",
    "the text of any value: of an IRI without brackets, of a number in its canonical form",
    Signature(("a value",), 0, repeated=False, result=ValueType.STRING, unit=UnitRule.NONE, check=None),
    _str,
    BY_COLUMN,
    _str_in_sparql,
)


def _concat(e: Call, columns: Columns) -> pl.Expr:
    return pl.concat_str([lexical_of(x, argument.type) for x, argument in zip(columns, e.arguments, strict=True)])


def _concat_in_sparql(e: Call, arguments: Sequence[str]) -> str:
    if any(argument.type is not ValueType.STRING for argument in e.arguments):
        raise RefusedError("CONCAT of a number or a moment has the text that the archive keeps")
    return same_in_sparql(e, arguments)


CONCAT = ScalarFunction(
    "CONCAT",
    "CONCAT(x, y, …)",
    "the texts of all, as STR has them, one behind the other",
    Signature(("a value",), 0, repeated=True, result=ValueType.STRING, unit=UnitRule.NONE, check=None),
    _concat,
    BY_COLUMN,
    _concat_in_sparql,
)
