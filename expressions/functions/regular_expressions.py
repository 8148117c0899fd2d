"""Regular expressions of queries: those of Rust's `regex`, with XPath's flags.

Source: SPARQL 1.1 §17.4.3.14, XPath functions 3.1 §5.6.2. Departure: Rust's `regex` knows neither back-references nor
look-around.
"""

from __future__ import annotations

import re

import polars as pl

_LITERAL = "q"
_FLAGS = "imsx"


def rust_regex(pattern: str, flags: str) -> str:
    """A pattern with its flags as one text for Polars."""
    inline = "".join(flag for flag in _FLAGS if flag in flags)
    return (f"(?{inline})" if inline else "") + (re.escape(pattern) if _LITERAL in flags else pattern)


def fault_of(pattern: str, flags: str) -> str | None:
    """Say what is wrong with a pattern or its flags; `None`: nothing."""
    odd = next((flag for flag in flags if flag not in _FLAGS + _LITERAL), None)
    if odd is not None:
        return f"there is no flag '{odd}'"
    try:
        pl.Series([""]).str.contains(rust_regex(pattern, flags))
    except pl.exceptions.ComputeError as error:
        lines = str(error).splitlines()
        return next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), lines[0])
    return None
