"""Rows as a table in HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..sinks import readable, value_text

__all__ = ["html_table"]


def html_table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], number: int, prefixes: Mapping[str, str]
) -> str:
    """Return the first rows of a result as HTML, without the columns that only programs need.

    Args:
        rows: those that are shown.
        columns: names, in order.
        number: how many rows there are.
        prefixes: by which IRIs are shortened; the whole IRI is the cell's title.
    """
    names = readable(columns)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(_cell(row[name], prefixes) for name in names) + "</tr>\n" for row in rows)
    said = f"{number:,} row{'s' * (number != 1)}"
    if number > len(rows):
        said += f", the first {len(rows)} shown"
    return f"<table>\n<caption>{said}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"


def _cell(value: object, prefixes: Mapping[str, str]) -> str:
    text = value_text(value, prefixes)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    align = ' style="text-align: right"' if number else ""
    title = f' title="{escape(value)}"' if isinstance(value, str) and text != value else ""
    return f"<td{align}{title}>{escape(text)}</td>"
