"""PATH bodies as rdflib queries in which an event's id stands for the event variable.

rdflib takes milliseconds to read a pattern and microseconds to answer it, so a pattern is read once, with a name that
nobody else uses in the place of the variable, and that name is then replaced by each event's id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rdflib import URIRef
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue, Expr
from rdflib.plugins.sparql.sparql import Query

PLACE = URIRef("urn:oracle:the-event")


@lru_cache(maxsize=4096)
def read_pattern(text: str, variable: str, bindings: Sequence[str]) -> Query:
    """The query for a pattern: ASK, or SELECT the bindings; `PLACE` stands for the variable."""
    pattern = re.sub(rf"[?$]{variable}(?!\w)", f"<{PLACE}>", text)
    variables = " ".join(f"?{name}" for name in bindings)
    head = f"SELECT DISTINCT {variables} WHERE" if bindings else "ASK"
    return translateQuery(parseQuery(f"{head} {{ {pattern} }}"))


def with_event(query: Query, event: URIRef) -> Query:
    """The query with the event in its place."""
    algebra = _replaced(query.algebra, event)
    assert isinstance(algebra, CompValue)
    return Query(query.prologue, algebra)


def _replaced(node: object, event: URIRef) -> object:
    if isinstance(node, CompValue):
        return _copied(node, event)
    if isinstance(node, list | tuple | set):
        return type(node)(_replaced(part, event) for part in node)
    return event if node == PLACE else node


def _copied(node: CompValue, event: URIRef) -> CompValue:
    """A node of rdflib's algebra: its parts are items, except that of EXISTS, which is an attribute."""
    parts = {name: _replaced(part, event) for name, part in node.items()}
    if not isinstance(node, Expr):
        return CompValue(node.name, **parts)
    copy = Expr(node.name, None if node._evalfn is None else node._evalfn.__func__, **parts)
    if "graph" in vars(node):
        copy.graph = _replaced(vars(node)["graph"], event)
    return copy
