"""Names for queries that are submitted without one: only rows of named queries are kept and can be asked for."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count

from ...language import Statement
from ...language.syntax import parse_document
from ..problem import ProblemError

__all__ = ["with_names"]

_NAME = re.compile(r"[A-Za-z_]\w*")


def with_names(text: str, label: str | None, taken: Collection[str]) -> str:
    """A document whose queries all have names.

    Args:
        text: χ-CEP.
        label: the name of its query that has none; of several the beginning of their names. `None`: `query1`, `query2`.
        taken: names that are no longer free.

    Raises:
        QuerySyntaxError: it is no χ-CEP.
        ProblemError: 400, the label is no name.
    """
    if label is not None and _NAME.fullmatch(label) is None:
        raise ProblemError(400, f"'{label}' is no name of a query", "take letters, digits and _, a letter first")
    parts = [part for part in parse_document(text) if isinstance(part, Statement)]
    unnamed = [one for one in parts if one.name is None and one.rule is None and one.query.change is None]
    used = {*taken, *(one.name.text for one in parts if one.name is not None)}
    for position, one in reversed(list(enumerate(unnamed, 1))):
        own = None if label is None else label if len(unnamed) == 1 else f"{label}_{position}"
        name = own or next(free for number in count(position) if (free := f"query{number}") not in used)
        used.add(name)
        text = f"{text[: one.span.start]}CREATE QUERY {name} AS {text[one.span.start :]}"
    return text
